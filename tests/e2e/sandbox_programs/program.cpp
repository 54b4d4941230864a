// What programs in C++ do: tasks, signals, files, folders, children.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>
#include <unistd.h>
#include <sys/wait.h>
static volatile sig_atomic_t rung = 0;
int main() {
    std::vector<std::future<long>> found;
    for (int n = 0; n < 4; n++) found.push_back(std::async(std::launch::async, [n] { long sum = 0; for (int i = 0; i < 100000; i++) sum += i * n; return sum; }));
    long all = 0;
    for (auto& each : found) all += each.get();
    signal(SIGALRM, [](int) { rung = 1; });
    ualarm(1000, 0);
    while (!rung) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::ofstream("cpp.txt") << std::string(1 << 16, 'x');
    std::filesystem::copy_file("cpp.txt", "cpp.copy");
    std::filesystem::create_directories("cpp/deep");
    std::filesystem::remove_all("cpp");
    FILE* child = popen("echo child", "r");
    char text[16] = {0};
    if (!fgets(text, sizeof text, child)) return 1;
    pclose(child);
    if (all <= 0) return 2;
    printf("played %s", text);
}
