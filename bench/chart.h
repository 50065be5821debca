// A chart with logarithmic axes, written as SVG: one line a series, with its name in the legend.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

class Chart {
public:
    Chart(std::string title, std::string across, std::string up)
        : title_(std::move(title)), across_(std::move(across)), up_(std::move(up)) {}

    void add(std::string name, std::vector<std::pair<double, double>> points) {
        series_.push_back({std::move(name), std::move(points)});
    }

    void write(const std::string& path) {
        find_range();
        std::FILE* file = std::fopen(path.c_str(), "w");
        if (file == nullptr) std::exit((std::perror(path.c_str()), 1));
        out_ = file;
        std::fprintf(out_,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                     "font-family=\"sans-serif\" font-size=\"12\">\n"
                     "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                     width, height, width, height);
        write_axes();
        for (size_t i = 0; i < series_.size(); ++i) write_series(i);
        std::fputs("</svg>\n", out_);
        if (std::fclose(file) != 0) std::exit((std::perror(path.c_str()), 1));
    }

private:
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points;
    };
    static constexpr int width = 560, height = 380, left = 70, right = 15, top = 35, bottom = 50;
    static constexpr const char* colours[] = {"#222222", "#0072b2", "#d55e00", "#009e73"};
    static constexpr const char* dashes[] = {"7 4", "none", "2 3", "9 3 2 3"};

    void find_range() {
        low_x_ = low_y_ = HUGE_VAL;
        high_x_ = high_y_ = -HUGE_VAL;
        for (const Series& series : series_)
            for (const auto& [x, y] : series.points) {
                low_x_ = std::min(low_x_, std::log10(x)), high_x_ = std::max(high_x_, std::log10(x));
                low_y_ = std::min(low_y_, std::log10(y)), high_y_ = std::max(high_y_, std::log10(y));
            }
        low_x_ = std::floor(low_x_), high_x_ = std::ceil(high_x_);
        low_y_ = std::floor(low_y_), high_y_ = std::ceil(high_y_);
    }

    double place_x(double log_x) const { return left + (log_x - low_x_) / (high_x_ - low_x_) * (width - left - right); }
    double place_y(double log_y) const {
        return height - bottom - (log_y - low_y_) / (high_y_ - low_y_) * (height - top - bottom);
    }

    void line(double x1, double y1, double x2, double y2) {
        std::fprintf(out_, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#dddddd\"/>\n", x1, y1, x2, y2);
    }

    void text(double x, double y, const char* anchor, const std::string& what, const char* more = "") {
        std::fprintf(out_, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more,
                     what.c_str());
    }

    static std::string power_of_ten(double exponent) {
        return "10<tspan dy=\"-5\" font-size=\"9\">" + std::to_string(static_cast<int>(exponent)) + "</tspan>";
    }

    void write_axes() {
        for (double x = low_x_; x <= high_x_; ++x) {
            line(place_x(x), place_y(low_y_), place_x(x), place_y(high_y_));
            text(place_x(x), height - bottom + 18, "middle", power_of_ten(x));
        }
        for (double y = low_y_; y <= high_y_; ++y) {
            line(place_x(low_x_), place_y(y), place_x(high_x_), place_y(y));
            text(left - 8, place_y(y) + 4, "end", power_of_ten(y));
        }
        text(width / 2.0, 20, "middle", title_, " font-size=\"14\"");
        text((left + width - right) / 2.0, height - 12, "middle", across_);
        text(-(top + height - bottom) / 2.0, 20, "middle", up_, " transform=\"rotate(-90)\"");
    }

    void write_series(size_t i) {
        const Series& series = series_[i];
        const char* const colour = colours[i % 4];
        const char* const dash = dashes[i % 4];
        std::fprintf(out_, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"", colour,
                     dash);
        for (size_t k = 0; k < series.points.size(); ++k)
            std::fprintf(out_, "%c%.1f %.1f", k == 0 ? 'M' : 'L', place_x(std::log10(series.points[k].first)),
                         place_y(std::log10(series.points[k].second)));
        const double y = height - bottom - 18.0 * static_cast<double>(series_.size() - i);
        std::fprintf(out_, "M%d %.1fh32\"/>\n", left + 14, y);
        text(left + 54, y + 4, "start", series.name);
    }

    std::string title_, across_, up_;
    std::vector<Series> series_;
    double low_x_ = 0, high_x_ = 0, low_y_ = 0, high_y_ = 0;
    std::FILE* out_ = nullptr;
};
