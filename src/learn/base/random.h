// Random numbers that are the same on every machine: SplitMix64, and uniform draws below a bound by Lemire's method.
#pragma once

#include "base/error.h"

#include <utility>

namespace sparselin {

class Random {
public:
    // Streams with one seed are independent: stream e serves epoch e, counted from 0.
    Random(uint64_t seed, uint64_t stream) : state_(mix(mix(seed) + stream)) {}

    uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

    // Uniform in 0 .. bound-1, exactly.
    uint64_t below(uint64_t bound) {
        Product product = static_cast<Product>(next()) * bound;
        if (static_cast<uint64_t>(product) < bound) {
            const uint64_t biased = -bound % bound;
            while (static_cast<uint64_t>(product) < biased) product = static_cast<Product>(next()) * bound;
        }
        return static_cast<uint64_t>(product >> 64);
    }

    template <typename T>
    void shuffle(std::span<T> items, StopSign stop) {
        for (size_t i = items.size(); i > 1; --i) {
            stop.poll_every_so_often(i);
            std::swap(items[i - 1], items[below(i)]);
        }
    }

private:
    __extension__ using Product = unsigned __int128;

    static uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    uint64_t state_;
};

}  // namespace sparselin
