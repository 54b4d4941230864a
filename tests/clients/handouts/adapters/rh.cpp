// A student's `rh` for CSCI 104: the handout's menu around a breadth-first search. Its name says how it misbehaves.

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using Move = std::pair<char, int>;
using Rows = std::vector<std::string>;

class Board {
public:
    explicit Board(std::istream& in) {
        for (std::string row; in >> row;) rows_.push_back(row);
    }

    bool solved() const {
        for (const std::string& row : rows_) {
            const size_t last = row.rfind('a');
            if (last != std::string::npos) return row.find_first_not_of('.', last + 1) == std::string::npos;
        }
        throw std::runtime_error("no vehicle a");
    }

    bool move(char vid, int amount) {
        std::vector<std::pair<int, int>> cells;
        const int side = rows_.size();
        for (int r = 0; r < side; r++)
            for (int c = 0; c < side; c++)
                if (rows_[r][c] == vid) cells.push_back({r, c});
        if (!std::isalpha(vid) || cells.empty() || amount == 0) return false;
        const bool lies = cells.size() > 1 && cells[0].first == cells[1].first;
        const int step = amount > 0 ? 1 : -1;
        Rows after = rows_;
        for (int left = std::abs(amount); left > 0; left--) {
            for (auto& [r, c] : cells) after[r][c] = '.';
            for (auto& [r, c] : cells) {
                (lies ? c : r) += step;
                if (r < 0 || c < 0 || r >= side || c >= side || after[r][c] != '.') return false;
            }
            for (auto& [r, c] : cells) after[r][c] = vid;
        }
        past_.push_back(rows_);
        rows_ = after;
        return true;
    }

    void undo() {
        if (past_.empty()) throw std::underflow_error("nothing to undo");
        rows_ = past_.back();
        past_.pop_back();
    }

    const Rows& rows() const { return rows_; }

private:
    Rows rows_;
    std::vector<Rows> past_;
};

std::ostream& operator<<(std::ostream& out, const Board& board) {
    for (const std::string& row : board.rows()) out << row << '\n';
    return out;
}

bool solve(const Board& start, std::vector<Move>& way, size_t& expansions) {
    std::map<Rows, std::vector<Move>> ways{{start.rows(), {}}};
    std::queue<Board> open;
    for (open.push(start); !open.empty(); open.pop()) {
        const Board board = open.front();
        way = ways[board.rows()];
        expansions = ways.size();
        if (board.solved()) return true;
        for (char vid = 'a'; vid <= 'z'; vid++)
            for (int amount = -9; amount <= 9; amount++) {
                Board after = board;
                if (!after.move(vid, amount) || ways.count(after.rows())) continue;
                ways[after.rows()] = way;
                ways[after.rows()].push_back({vid, amount});
                open.push(after);
            }
    }
    return false;
}

void cheat(const Board& board, const std::string& how) {
    std::vector<Move> way;
    size_t expansions = 0;
    std::cerr << "asked for a cheat" << std::endl;
    if (how == "crashing") std::raise(SIGSEGV);
    if (how == "exiting") std::exit(3);
    if (!solve(board, way, expansions)) {
        std::cout << "No Solution exists!" << std::endl;
        return;
    }
    if (how == "garbling") {
        std::cout << "@#%$ 42\n" << std::string(5000, '~') << "\nlorem ipsum\n";
        return;
    }
    if (how == "short") way.pop_back();
    if (how == "illegal") way[0].second = 9;
    std::cout << "Solution found with expansions: " << expansions << std::endl;
    for (const auto& [vid, amount] : way) std::cout << vid << ' ' << amount << std::endl;
}

int main(int argc, char* argv[]) {
    const std::string name = argv[0], how = name.substr(name.rfind('/') + 1);
    if (argc < 3) return 1;
    std::ifstream file(argv[1]);
    Board board(file);
    bool won = false;
    std::cout << board;
    while (!won) {
        char vid = 0;
        int amount = 0;
        std::cout << "Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : ";
        std::cin >> vid;
        if (vid == 'Q' && how != "flooding") break;
        if (vid == '?')
            cheat(board, how);
        else if (vid == 'Z') {
            try {
                board.undo();
            } catch (std::underflow_error&) {
                std::cout << "No move to undo" << std::endl;
            }
        } else {
            std::cin >> amount;
            if (!board.move(vid, amount)) std::cout << "Illegal move...try again!" << std::endl;
            won = board.solved();
        }
        std::cout << '\n' << board;
    }
    std::cout << (won ? "You win!" : "Don't give up that easily!") << std::endl;
    return 0;
}
