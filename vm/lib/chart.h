// Charts: NESL's values of type `chart` (frontend/nesl/prelude.nesl), drawn as text, as SVG or as PNG.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "frontend/nesl/types.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct Chart {
  enum class Kind : std::uint8_t { kLine, kPoints, kBars, kImage };
  // Values at positions, as many. An image has its rows one after the other in `ys`, and in `xs` the length
  // of a row.
  struct Mark {
    Kind kind = Kind::kLine;
    std::vector<double> xs, ys;
  };
  std::string title;
  std::vector<Mark> marks;
};

// Is it the prelude's type of charts, or one that looks the same?
[[nodiscard]] bool is_chart(const frontend::Type* type);
// The chart that a value in parts is (NeslValue). Positions without values, and values without, are left out.
[[nodiscard]] Chart chart_of(std::span<const Value> slots);

// What numbers lie between; those that are not finite count for nothing.
class Range {
 public:
  void add(double x);
  [[nodiscard]] bool empty() const { return low_ > high_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

// An axis: the numbers of a range, made wider if it has one number only, and round ones among them.
class Axis {
 public:
  // `wanted`: how many intervals there are between ticks, about. `downwards`: the low end is above.
  Axis(const Range& range, int wanted, bool downwards = false);

  // 0 at the low end, 1 at the high end; the other way round downwards.
  [[nodiscard]] double part(double x) const;
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }
  // A tick as text, all of an axis with as many digits behind the point.
  [[nodiscard]] std::string label(double tick) const;

 private:
  double low_ = 0, high_ = 1, step_ = 1;
  bool downwards_ = false;
  std::vector<double> ticks_;
};

// What the marks of a chart need along and up.
struct Area {
  explicit Area(const Chart& chart);
  // Is there nothing to draw?
  [[nodiscard]] bool empty() const { return up.empty(); }
  Range along, up;
  bool downwards = false;  // rows of an image are counted from the top
};

struct Axes {
  Axes(const Area& area, int along, int up) : x(area.along, along), y(area.up, up, area.downwards) {}
  Axis x, y;
};

// The distance between the bars of a mark, 1 for a single one.
[[nodiscard]] double bar_distance(const Chart::Mark& mark);
// The shades of an image from 0 to 1, scaled by the nearest element to at most columns x rows.
struct Shades {
  std::int64_t width = 0, height = 0;  // of the image
  std::int64_t columns = 0, rows = 0;  // of what follows
  std::vector<double> shades;          // row by row, from the top
};
[[nodiscard]] Shades shades_of(const Chart::Mark& mark, std::int64_t columns, std::int64_t rows);

// Drawing asks the budget: it ends like a run by limits of time and by Ctrl-C.
// In letters: title, axes, and marks in dots of Braille (two by four in a character), images in shades. Lines
// end with a newline.
[[nodiscard]] std::string draw_text(const Chart& chart, int columns = 72, int rows = 20);
// A document of SVG 1.1, whose size has a bound that does not depend on the number of values.
[[nodiscard]] std::string draw_svg(const Chart& chart);
// The same picture as a PNG, whose size in pixels is the same for all charts. Throws Fault kIo, with the
// path, where libpng is missing.
[[nodiscard]] std::string draw_png(const Chart& chart, const std::string& path);

}  // namespace nvm::vm
