// A UGI engine for Breakthrough of any size, written against UGI's own text: it captures where it can.
//     ugi_engine [rows cols]   the size of its startpos
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static int rows = 6, cols = 6;
static bool capturing = true;
static std::vector<std::string> board;  // from the top; B moves down, W up
static char side = 'B';

static void start() {
    board.assign(rows, std::string(cols, '.'));
    for (int row : {0, 1}) board[row] = std::string(cols, 'B');
    for (int row : {rows - 1, rows - 2}) board[row] = std::string(cols, 'W');
    side = 'B';
}

static std::string name(int row, int col) {
    return std::string(1, static_cast<char>('a' + col)) + std::to_string(static_cast<int>(board.size()) - row);
}

static std::vector<std::string> moves() {
    std::vector<std::string> quiet, captures;
    const int ahead = side == 'B' ? 1 : -1, height = static_cast<int>(board.size());
    for (int row = 0; row < height; ++row)
        for (int col = 0; col < static_cast<int>(board[row].size()); ++col)
            for (int step : {-1, 0, 1}) {
                const int to = row + ahead, there = col + step;
                if (board[row][col] != side || to < 0 || to >= height) continue;
                if (there < 0 || there >= static_cast<int>(board[to].size())) continue;
                const char target = board[to][there];
                if (target == side || (step == 0 && target != '.')) continue;
                (target == '.' ? quiet : captures).push_back(name(row, col) + name(to, there));
            }
    if (!capturing) std::swap(quiet, captures);
    captures.insert(captures.end(), quiet.begin(), quiet.end());
    return captures;
}

static void play(const std::string& move) {
    const int height = static_cast<int>(board.size());
    const int row = height - (move[1] - '0'), to = height - (move[3] - '0');
    board[row][move[0] - 'a'] = '.';
    board[to][move[2] - 'a'] = side;
    side = side == 'B' ? 'W' : 'B';
}

int main(int count, char** words) {
    if (count > 2) rows = std::atoi(words[1]), cols = std::atoi(words[2]);
    start();
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        std::string word;
        in >> word;
        if (word == "ugi") {
            std::cout << "id name Cpp\nid author test\noption name Capturing type check default true\nugiok" << std::endl;
        } else if (word == "isready") {
            std::cout << "readyok" << std::endl;
        } else if (word == "setoption") {
            capturing = line.find("value true") != std::string::npos;
        } else if (word == "position") {
            in >> word;
            start();
            if (word == "fen") {
                std::string text, turn;
                in >> text >> turn;
                board.clear();
                std::istringstream lines(text);
                for (std::string row; std::getline(lines, row, '/');) board.push_back(row);
                side = turn == "black" ? 'B' : 'W';
            }
            in >> word;  // moves
            while (in >> word) play(word);
        } else if (word == "go") {
            const auto found = moves();
            std::cout << "info depth 1 score cp 5 nodes " << found.size() << " pv " << found.front() << "\n";
            std::cout << "bestmove " << found.front() << std::endl;
        } else if (word == "quit") {
            break;
        }
    }
}
