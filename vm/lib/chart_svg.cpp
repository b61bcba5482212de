// Charts as SVG.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "bytecode/base/budget.h"
#include "vm/lib/chart.h"

namespace nvm::vm {

namespace {

constexpr int kWidth = 720, kHeight = 440;
constexpr int kLeft = 70, kRight = 20, kTop = 40, kBottom = 40;
constexpr int kAcross = kWidth - kLeft - kRight, kUp = kHeight - kTop - kBottom;
constexpr std::int64_t kImageColumns = 256, kImageRows = 256;
// Colours that are told apart with any kind of sight (Okabe and Ito, Color Universal Design, 2008).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
    }
  }
  return out;
}

struct Point {
  double x = 0, y = 0;
};

class Drawing {
 public:
  Drawing(const Chart& chart, const Area& area) : axes_(area, 7, 6) {
    grid();
    for (std::size_t i = 0; i < chart.marks.size(); ++i)
      mark(chart.marks[i], kColours[i % std::size(kColours)]);
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  [[nodiscard]] double x(double value) const { return kLeft + axes_.x.part(value) * kAcross; }
  [[nodiscard]] double y(double value) const { return kTop + (1 - axes_.y.part(value)) * kUp; }

  void grid() {
    for (const double tick : axes_.x.ticks()) {
      path(number(x(tick)) + "," + std::to_string(kTop), "v" + std::to_string(kUp));
      label(x(tick), kHeight - kBottom + 18, "middle", axes_.x.label(tick));
    }
    for (const double tick : axes_.y.ticks()) {
      path(std::to_string(kLeft) + "," + number(y(tick)), "h" + std::to_string(kAcross));
      label(kLeft - 8, y(tick) + 4, "end", axes_.y.label(tick));
    }
  }
  void path(const std::string& from, const std::string& to) {
    out_ += "<path d=\"M" + from + to + "\" stroke=\"#d8d8d8\"/>\n";
  }
  void label(double at_x, double at_y, const char* anchor, const std::string& text) {
    out_ += "<text x=\"" + number(at_x) + "\" y=\"" + number(at_y) + "\" text-anchor=\"" + anchor + "\">" +
            text + "</text>\n";
  }

  void mark(const Chart::Mark& mark, const std::string& colour) {
    switch (mark.kind) {
      case Chart::Kind::kLine: return line(mark, colour);
      case Chart::Kind::kPoints: return points(mark, colour);
      case Chart::Kind::kBars: return bars(mark, colour);
      case Chart::Kind::kImage: return image(mark);
    }
  }

  // The points of a line between gaps. Of those that follow one another in a column of pixels the first, the
  // last, the highest and the lowest show all that can be seen.
  void line(const Chart::Mark& mark, const std::string& colour) {
    std::vector<Point> run;
    for (std::size_t i = 0; i <= mark.xs.size(); ++i) {
      check_budget();
      if (i < mark.xs.size() && std::isfinite(mark.xs[i]) && std::isfinite(mark.ys[i])) {
        const Point point{x(mark.xs[i]), y(mark.ys[i])};
        const std::size_t n = run.size();
        const auto column = [](const Point& p) { return std::floor(p.x); };
        if (n >= 4 && column(run[n - 4]) == column(point) && column(run[n - 3]) == column(point) &&
            column(run[n - 2]) == column(point) && column(run[n - 1]) == column(point)) {
          const auto [high, low] = std::minmax({run[n - 3].y, run[n - 2].y, run[n - 1].y, point.y});
          run[n - 3].y = high;
          run[n - 2].y = low;
          run[n - 1] = point;
        } else {
          run.push_back(point);
        }
        continue;
      }
      polyline(run, colour);
      run.clear();
    }
  }
  void polyline(const std::vector<Point>& run, const std::string& colour) {
    if (run.empty()) return;
    if (run.size() == 1) return circle(run[0], colour);
    out_ += "<polyline fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.5\" points=\"";
    for (const Point& point : run) out_ += number(point.x) + "," + number(point.y) + " ";
    out_.back() = '"';
    out_ += "/>\n";
  }
  void circle(const Point& at, const std::string& colour) {
    out_ += "<circle cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) + "\" r=\"2.5\" fill=\"" + colour +
            "\"/>\n";
  }

  void points(const Chart::Mark& mark, const std::string& colour) {
    std::set<std::pair<int, int>> seen;  // one point for each two by two pixels
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i])) continue;
      const Point at{x(mark.xs[i]), y(mark.ys[i])};
      if (seen.emplace(static_cast<int>(at.x) / 2, static_cast<int>(at.y) / 2).second) circle(at, colour);
    }
  }

  // One rectangle for each bar, or, where bars are narrower than a pixel, for each column of pixels.
  void bars(const Chart::Mark& mark, const std::string& colour) {
    const double half = bar_distance(mark) * 0.4;
    const double base = y(0);
    std::vector<Point> narrow(kAcross + 1, Point{base, base});  // the highest and the lowest of a column
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i])) continue;
      const double left = x(mark.xs[i] - half), right = x(mark.xs[i] + half), top = y(mark.ys[i]);
      if (right - left >= 1) {
        rectangle(left, std::min(top, base), right - left, std::fabs(top - base), colour);
        continue;
      }
      Point& column = narrow[static_cast<std::size_t>(std::clamp(left - kLeft, 0.0, double(kAcross)))];
      column.x = std::min(column.x, top);
      column.y = std::max(column.y, top);
    }
    for (std::size_t i = 0; i < narrow.size(); ++i)
      if (narrow[i].x < narrow[i].y)
        rectangle(kLeft + static_cast<double>(i), narrow[i].x, 1, narrow[i].y - narrow[i].x, colour);
  }
  void rectangle(double left, double top, double width, double height, const std::string& colour) {
    out_ += "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" + number(width) +
            "\" height=\"" + number(height) + "\" fill=\"" + colour + "\"/>\n";
  }

  void image(const Chart::Mark& mark) {
    const Shades shades = shades_of(mark, kImageColumns, kImageRows);
    if (shades.rows == 0) return;
    const double width = double(kAcross) / static_cast<double>(shades.columns);
    const double height = double(kUp) / static_cast<double>(shades.rows);
    out_ += "<g shape-rendering=\"crispEdges\">\n";
    for (std::int64_t row = 0; row < shades.rows; ++row)
      for (std::int64_t column = 0; column < shades.columns; ++column) {
        const auto grey = std::to_string(
            std::lround(shades.shades[static_cast<std::size_t>(row * shades.columns + column)] * 255));
        rectangle(kLeft + static_cast<double>(column) * width, kTop + static_cast<double>(row) * height,
                  width + 0.3, height + 0.3, "rgb(" + grey + "," + grey + "," + grey + ")");
      }
    out_ += "</g>\n";
  }

  Axes axes_;
  std::string out_;
};

}  // namespace

std::string draw_svg(const Chart& chart) {
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(kWidth) +
                    " " + std::to_string(kHeight) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  if (!chart.title.empty())
    out += "<text x=\"" + std::to_string(kWidth / 2) +
           "\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">" + escaped(chart.title) + "</text>\n";
  const Area area(chart);
  if (area.empty())
    out += "<text x=\"" + std::to_string(kWidth / 2) + "\" y=\"" + std::to_string(kHeight / 2) +
           "\" text-anchor=\"middle\">nothing to draw</text>\n";
  else
    out += Drawing(chart, area).text();
  return out + "</svg>\n";
}

}  // namespace nvm::vm
