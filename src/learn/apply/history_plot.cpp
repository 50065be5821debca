#include "apply/history_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace sparselin {

namespace {

constexpr double width = 640, height = 400, left = 80, right = 620, top = 48, bottom = 340;

// Numbers as people read them, whatever the locale.
struct ShortNumber {
    explicit ShortNumber(double value, int digits = 6) {
        *std::to_chars(text, text + sizeof text - 1, value, std::chars_format::general, digits).ptr = '\0';
    }
    char text[40];
};

// What an axis shows: from low to high, in logarithms or not.
struct Axis {
    double low = 0, high = 1, step = 1;
    bool logarithmic = false;

    double share(double value) const {
        const double at = logarithmic ? std::log10(std::max(value, 1e-320)) : value;
        return std::clamp((at / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0);
    }
};

// 1, 2 or 5 times a power of ten, not below x.
double round_up(double x) {
    const double power = std::pow(10, std::floor(std::log10(x)));
    for (const double times : {1.0, 2.0, 5.0})
        if (times * power >= x * (1 - 1e-9)) return times * power;
    return 10 * power;
}

Axis axis_of_losses(std::span<const HistoryPoint> history) {
    constexpr double enough = 1e307, little = 1e-300;
    double least = history.front().loss, most = least;
    for (const HistoryPoint& point : history) {
        least = std::min(least, point.loss);
        most = std::max(most, point.loss);
    }
    Axis axis;
    axis.logarithmic = least > little && most / least > 100;
    if (axis.logarithmic) {
        axis.low = std::floor(std::log10(least));
        axis.high = std::ceil(std::log10(most));
        axis.step = std::ceil((axis.high - axis.low) / 8);
        axis.high = axis.low + std::ceil((axis.high - axis.low) / axis.step) * axis.step;
        return axis;
    }
    least = std::clamp(least, -enough, 0.0);
    most = std::clamp(most, 0.0, enough);
    if (most - least < little) return axis;
    axis.step = round_up((most - least) / 6);
    axis.low = std::floor(least / axis.step) * axis.step;
    axis.high = std::ceil(most / axis.step) * axis.step;
    return axis;
}

class Picture {
public:
    explicit Picture(Memory memory) : svg_(memory) {}

    void add(const char* format, ...) __attribute__((format(printf, 2, 3))) {
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        svg_.append(text, std::min(static_cast<size_t>(length), sizeof text - 1));
    }

    void text(double x, double y, const char* anchor, const char* what) {
        add("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>", at(x).text, at(y).text, anchor, what);
    }

    void line(double x1, double y1, double x2, double y2) {
        add("<path d=\"M%s %sL%s %s\" stroke=\"#dddddd\"/>", at(x1).text, at(y1).text, at(x2).text, at(y2).text);
    }

    String take() { return std::move(svg_); }

    // To a tenth of a pixel.
    static ShortNumber at(double place) { return ShortNumber(std::round(place * 10) / 10); }

private:
    String svg_;
};

double across(const Axis& steps, double log_step) {
    return left + steps.share(log_step) * (right - left);
}

void draw_steps(Picture& picture, const Axis& steps) {
    for (int exponent = 0; exponent <= steps.high; exponent += static_cast<int>(steps.step)) {
        const double x = across(steps, exponent);
        picture.line(x, top, x, bottom);
        char number[64];
        snprintf(number, sizeof number, steps.high > 24 ? "2<tspan dy=\"-5\" font-size=\"9\">%d</tspan>" : "%d",
                 steps.high > 24 ? exponent : 1 << exponent);
        picture.text(x, bottom + 18, "middle", number);
    }
    picture.text((left + right) / 2, bottom + 44, "middle", "steps (one row each)");
}

// Powers of ten as such: the last one may be beyond the range of numbers.
ShortNumber loss_at(const Axis& losses, double at) {
    ShortNumber number(losses.logarithmic && std::fabs(at) < 5 ? std::pow(10, at) : at);
    if (losses.logarithmic && std::fabs(at) >= 5)
        snprintf(number.text, sizeof number.text, "1e%d", static_cast<int>(at));
    return number;
}

void draw_losses(Picture& picture, const Axis& losses) {
    const int count = static_cast<int>(std::lround((losses.high / 2 - losses.low / 2) / (losses.step / 2)));
    for (int i = 0; i <= count; ++i) {
        const double y = bottom - i * (bottom - top) / count;
        picture.line(left, y, right, y);
        picture.text(left - 8, y + 4, "end", loss_at(losses, losses.low + i * losses.step).text);
    }
    picture.add(
        "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">mean loss since the point "
        "before</text>",
        static_cast<int>((top + bottom) / 2));
}

void draw_curve(Picture& picture, const Axis& steps, const Axis& losses, std::span<const HistoryPoint> history) {
    const auto x = [&](const HistoryPoint& point) {
        return Picture::at(across(steps, std::log2(static_cast<double>(point.step))));
    };
    const auto y = [&](const HistoryPoint& point) {
        return Picture::at(bottom - losses.share(point.loss) * (bottom - top));
    };
    picture.add("<path fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"");
    for (const HistoryPoint& point : history)
        picture.add("%c%s %s", &point == &history[0] ? 'M' : 'L', x(point).text, y(point).text);
    picture.add("\"/>");
    for (const HistoryPoint& point : history)
        picture.add("<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"#0072b2\"><title>step %lld: %s</title></circle>",
                    x(point).text, y(point).text, static_cast<long long>(point.step), ShortNumber(point.loss).text);
}

}  // namespace

String plot_history(const Model& model, Memory memory) {
    Picture picture(memory);
    picture.add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
        "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">",
        int(width), int(height), int(width), int(height));
    picture.add("<title>%s_train, loss %s: loss while learning</title>", name_of(model.learner), name_of(model.loss));
    picture.add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", int(width), int(height));
    picture.add(
        "<text x=\"%d\" y=\"26\" text-anchor=\"middle\" font-size=\"15\">%s_train, loss %s: loss while learning</text>",
        int((left + right) / 2), name_of(model.learner), name_of(model.loss));
    if (model.history.empty()) {
        picture.text((left + right) / 2, (top + bottom) / 2, "middle", "this model has no history");
    } else {
        Axis steps;
        steps.high = std::max(1.0, std::ceil(std::log2(static_cast<double>(model.history.back().step))));
        steps.step = std::ceil(steps.high / 10);
        const Axis losses = axis_of_losses(model.history);
        draw_steps(picture, steps);
        draw_losses(picture, losses);
        draw_curve(picture, steps, losses, model.history);
    }
    picture.add("</svg>");
    return picture.take();
}

}  // namespace sparselin
