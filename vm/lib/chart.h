// Charts: NESL's values of type `chart` (frontend/nesl/prelude.nesl), drawn as text or as SVG.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/nesl/types.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct Chart {
  enum class Kind : std::uint8_t { kLine, kPoints, kBars, kImage };
  // Values at positions. An image has its rows one after the other in `ys`, and in `xs` the length of a row.
  struct Mark {
    Kind kind = Kind::kLine;
    std::vector<double> xs, ys;
  };
  std::string title;
  std::vector<Mark> marks;
};

// Is it the prelude's type of charts, or one that looks the same?
[[nodiscard]] bool is_chart(const frontend::Type* type);
// The chart that a value in parts is (NeslValue).
[[nodiscard]] Chart chart_of(std::span<const Value> slots);

// An axis: the numbers from `low` to `high`, which are finite and differ, and round ones among them.
class Axis {
 public:
  // `wanted`: how many intervals there are between ticks, about. Numbers that are not finite count for
  // nothing.
  // `downwards`: the low end is above.
  Axis(std::span<const double> numbers, int wanted, bool downwards = false);

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

// The axes of all marks of a chart.
struct Axes {
  explicit Axes(const Chart& chart, std::array<int, 2> wanted);
  Axis x, y;
};

// Can it be shown: is there a mark with a finite number?
[[nodiscard]] bool is_empty(const Chart& chart);
// The distance between the bars of a mark, 1 for a single one.
[[nodiscard]] double bar_distance(const Chart::Mark& mark);
// The shades of an image from 0 to 1, scaled by the nearest element to at most columns x rows.
struct Shades {
  std::int64_t columns = 0, rows = 0;
  std::vector<double> shades;  // row by row, from the top
};
[[nodiscard]] Shades shades_of(const Chart::Mark& mark, std::int64_t columns, std::int64_t rows);

// In letters: title, axes, and marks in dots of Braille (two by four in a character), images in shades. Lines
// end with a newline.
[[nodiscard]] std::string draw_text(const Chart& chart, int columns = 72, int rows = 20);
// A document of SVG 1.1, whose size has a bound that does not depend on the number of values.
[[nodiscard]] std::string draw_svg(const Chart& chart);

}  // namespace nvm::vm
