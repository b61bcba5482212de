// Where what stands in a chart: title, axes, marks.
#include <algorithm>
#include <cmath>
#include <set>

#include "bytecode/base/budget.h"
#include "vm/lib/canvas.h"

namespace nvm::vm {

namespace {

constexpr double kLeft = 70, kRight = 20, kTop = 40, kBottom = 40;
constexpr double kAcross = kPageWidth - kLeft - kRight, kUp = kPageHeight - kTop - kBottom;
constexpr std::int64_t kImageColumns = 256, kImageRows = 256;
// Colours that are told apart with any kind of sight (Okabe and Ito, Color Universal Design, 2008).
constexpr Colour kColours[] = {{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73},
                               {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9}};

class Drawing {
 public:
  Drawing(const Area& area, Canvas& canvas) : axes_(area, 7, 6), canvas_(canvas) {}

  void grid() {
    for (const double tick : axes_.x.ticks()) {
      canvas_.rule({x(tick), kTop}, {x(tick), kTop + kUp});
      label({x(tick), kPageHeight - kBottom + 18}, Anchor::kMiddle, axes_.x.label(tick));
    }
    for (const double tick : axes_.y.ticks()) {
      canvas_.rule({kLeft, y(tick)}, {kLeft + kAcross, y(tick)});
      label({kLeft - 8, y(tick) + 4}, Anchor::kEnd, axes_.y.label(tick));
    }
  }

  void mark(const Chart::Mark& mark, Colour colour) {
    switch (mark.kind) {
      case Chart::Kind::kLine: return line(mark, colour);
      case Chart::Kind::kPoints: return points(mark, colour);
      case Chart::Kind::kBars: return bars(mark, colour);
      case Chart::Kind::kImage: return image(mark);
    }
  }

 private:
  [[nodiscard]] double x(double value) const { return kLeft + axes_.x.part(value) * kAcross; }
  [[nodiscard]] double y(double value) const { return kTop + (1 - axes_.y.part(value)) * kUp; }

  void label(Point at, Anchor anchor, const std::string& text) { canvas_.text(at, anchor, kTextSize, text); }

  // The points of a line between gaps. Of those that follow one another in a column of units the first, the
  // last, the highest and the lowest show all that can be seen.
  void line(const Chart::Mark& mark, Colour colour) {
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
      if (run.size() == 1) canvas_.dot(run[0], colour);
      if (run.size() > 1) canvas_.line(run, colour);
      run.clear();
    }
  }

  void points(const Chart::Mark& mark, Colour colour) {
    std::set<std::pair<int, int>> seen;  // one point for each two by two units
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i])) continue;
      const Point at{x(mark.xs[i]), y(mark.ys[i])};
      if (seen.emplace(static_cast<int>(at.x) / 2, static_cast<int>(at.y) / 2).second)
        canvas_.dot(at, colour);
    }
  }

  // One rectangle for each bar, or, where bars are narrower than a unit, for each column of units.
  void bars(const Chart::Mark& mark, Colour colour) {
    const double half = bar_distance(mark) * 0.4;
    const double base = y(0);
    struct Column {
      double top, bottom;
    };
    std::vector<Column> narrow(static_cast<std::size_t>(kAcross) + 1, Column{base, base});
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i])) continue;
      const double left = x(mark.xs[i] - half), right = x(mark.xs[i] + half), top = y(mark.ys[i]);
      if (right - left >= 1) {
        canvas_.rectangle({left, std::min(top, base)}, right - left, std::fabs(top - base), colour);
        continue;
      }
      Column& column = narrow[static_cast<std::size_t>(std::clamp(left - kLeft, 0.0, kAcross))];
      column.top = std::min(column.top, top);
      column.bottom = std::max(column.bottom, top);
    }
    for (std::size_t i = 0; i < narrow.size(); ++i)
      if (narrow[i].top < narrow[i].bottom)
        canvas_.rectangle({kLeft + static_cast<double>(i), narrow[i].top}, 1,
                          narrow[i].bottom - narrow[i].top, colour);
  }

  void image(const Chart::Mark& mark) {
    const Shades shades = shades_of(mark, kImageColumns, kImageRows);
    if (shades.rows > 0) canvas_.image(shades, {kLeft, kTop}, kAcross, kUp);
  }

  Axes axes_;
  Canvas& canvas_;
};

}  // namespace

void draw(const Chart& chart, Canvas& canvas) {
  constexpr double kMiddle = kPageWidth / 2.0;
  if (!chart.title.empty()) canvas.text({kMiddle, 24}, Anchor::kMiddle, kTitleSize, chart.title);
  const Area area(chart);
  if (area.empty())
    return canvas.text({kMiddle, kPageHeight / 2.0}, Anchor::kMiddle, kTextSize, "nothing to draw");
  Drawing drawing(area, canvas);
  drawing.grid();
  for (std::size_t i = 0; i < chart.marks.size(); ++i)
    drawing.mark(chart.marks[i], kColours[i % std::size(kColours)]);
}

}  // namespace nvm::vm
