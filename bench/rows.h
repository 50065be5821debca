// Rows for the loops of this folder, read from a file that speed.py writes, and a stopwatch for them.
//
// File: rows, non-zeros, features (i64); where each row starts (i32, rows + 1); indices (i32); values (f32); labels
// (f32).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

struct Rows {
    int64_t rows, nonzeros, features;
    std::vector<int32_t> start, index;
    std::vector<float> value, label;

    explicit Rows(const char* path) {
        std::FILE* file = std::fopen(path, "rb");
        if (file == nullptr) std::exit((std::perror(path), 1));
        int64_t sizes[3];
        read(file, sizes, 3);
        rows = sizes[0], nonzeros = sizes[1], features = sizes[2];
        fill(file, start, rows + 1);
        fill(file, index, nonzeros);
        fill(file, value, nonzeros);
        fill(file, label, rows);
        std::fclose(file);
    }

private:
    template <typename T>
    static void read(std::FILE* file, T* to, int64_t count) {
        if (std::fread(to, sizeof(T), static_cast<size_t>(count), file) == static_cast<size_t>(count)) return;
        std::fputs("the file is too short\n", stderr);
        std::exit(1);
    }
    template <typename T>
    static void fill(std::FILE* file, std::vector<T>& to, int64_t count) {
        to.resize(static_cast<size_t>(count));
        read(file, to.data(), count);
    }
};

inline double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Seconds of processor time that work() takes: a busy machine disturbs that little.
template <typename Work>
double seconds_of(Work&& work) {
    const double start = processor_seconds();
    work();
    return processor_seconds() - start;
}

// Keeps a result from being optimised away.
inline void keep(double number) {
    asm volatile("" : : "x"(number) : "memory");
}
