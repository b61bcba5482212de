#include "vm/lib/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bytecode/base/check.h"
#include "vm/lib/nesl_print.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::TypeKind;

// The parts of a chart, in the order of its type.
enum Slot : std::size_t { kTitle = 1, kMarks, kKindLengths, kKinds, kXLengths, kXs, kYLengths, kYs, kSlots };

std::string text_at(const Segdes& lengths, const Vector& characters, std::int64_t i) {
  std::string text;
  for (std::int64_t k = 0; k < lengths.length(i); ++k)
    text += static_cast<char>(int_at(characters, lengths.offset(i) + k));
  return text;
}

std::vector<double> numbers_at(const Segdes& lengths, const Vector& numbers, std::int64_t i) {
  if (lengths.length(i) == 0) return {};
  if (numbers.is_scalar()) return {numbers.scalar_float()};
  const double* const begin = numbers.data<double>() + lengths.offset(i);
  return {begin, begin + lengths.length(i)};
}

Chart::Kind kind_of(const std::string& word) {
  if (word == "points") return Chart::Kind::kPoints;
  if (word == "bars") return Chart::Kind::kBars;
  return word == "image" ? Chart::Kind::kImage : Chart::Kind::kLine;
}

// The least of 1, 2, 5, 10, 20, ... that is not below x.
double round_above(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= x) return digit * power;
  return 10 * power;
}

constexpr double kLargest = 1e300;    // so that no difference overflows
constexpr double kSmallest = 1e-290;  // and that no distance of ticks is 0

}  // namespace

bool is_chart(const frontend::Type* type) {
  type = resolve(type);
  return type->kind == TypeKind::kRecord && type->datatype->name == "chart" &&
         frontend::print_type(type->datatype->content) == "[char], [([char], [float], [float])]";
}

Chart chart_of(std::span<const Value> slots) {
  NVM_CHECK(slots.size() == kSlots, "a chart has the slots of its type");
  const auto lengths = [&](Slot slot) -> const Segdes& { return std::get<Segdes>(slots[slot]); };
  const auto vector = [&](Slot slot) -> const Vector& { return std::get<Vector>(slots[slot]); };
  Chart chart;
  chart.title = text_at(std::get<Segdes>(slots[0]), vector(kTitle), 0);
  for (std::int64_t i = 0; i < lengths(kMarks).length(0); ++i)
    chart.marks.push_back({kind_of(text_at(lengths(kKindLengths), vector(kKinds), i)),
                           numbers_at(lengths(kXLengths), vector(kXs), i),
                           numbers_at(lengths(kYLengths), vector(kYs), i)});
  return chart;
}

Axis::Axis(std::span<const double> numbers, int wanted, bool downwards) : downwards_(downwards) {
  bool any = false;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    const double x = std::clamp(number, -kLargest, kLargest);
    low_ = any ? std::min(low_, x) : x;
    high_ = any ? std::max(high_, x) : x;
    any = true;
  }
  const double about = std::max(std::fabs(low_), std::fabs(high_));
  if (any && high_ - low_ <= std::max(about * 1e-12, kSmallest)) {  // one number, or as good as one
    const double around = about <= kSmallest ? 1 : about / 2;
    low_ -= around;
    high_ += around;
  }
  step_ = round_above((high_ - low_) / wanted);
  for (double k = std::ceil(low_ / step_ - 1e-9); k * step_ <= high_ + step_ * 1e-9; ++k)
    ticks_.push_back(k * step_);
}

double Axis::part(double x) const {
  const double part = (std::clamp(x, -kLargest, kLargest) - low_) / (high_ - low_);
  return downwards_ ? 1 - part : part;
}

std::string Axis::label(double tick) const {
  char text[40];
  const double power = std::floor(std::log10(step_) + 1e-9);
  const double largest = std::max(std::fabs(low_), std::fabs(high_));
  if (power < -4 || largest >= 1e7)
    std::snprintf(text, sizeof text, "%.4g", std::fabs(tick) < step_ / 2 ? 0 : tick);
  else
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(std::max(0.0, -power)), tick + 0.0);
  return text;
}

namespace {

// The numbers that the axes must show: [0] along, [1] up.
std::array<std::vector<double>, 2> shown(const Chart& chart) {
  std::array<std::vector<double>, 2> all;
  for (const Chart::Mark& mark : chart.marks) {
    if (mark.kind == Chart::Kind::kImage) {
      const Shades size = shades_of(mark, INT64_MAX, INT64_MAX);
      if (size.rows == 0) continue;
      all[0].insert(all[0].end(), {0, static_cast<double>(size.columns)});
      all[1].insert(all[1].end(), {0, static_cast<double>(size.rows)});
      continue;
    }
    const double half = mark.kind == Chart::Kind::kBars ? bar_distance(mark) / 2 : 0;
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i])) continue;
      all[0].insert(all[0].end(), {mark.xs[i] - half, mark.xs[i] + half});
      all[1].push_back(mark.ys[i]);
    }
    if (mark.kind == Chart::Kind::kBars && !all[1].empty()) all[1].push_back(0);
  }
  return all;
}

// Rows of an image are counted from the top.
bool has_image(const Chart& chart) {
  return std::any_of(chart.marks.begin(), chart.marks.end(),
                     [](const Chart::Mark& mark) { return mark.kind == Chart::Kind::kImage; });
}

}  // namespace

Axes::Axes(const Chart& chart, std::array<int, 2> wanted)
    : x(shown(chart)[0], wanted[0]), y(shown(chart)[1], wanted[1], has_image(chart)) {}

bool is_empty(const Chart& chart) { return shown(chart)[1].empty(); }

double bar_distance(const Chart::Mark& mark) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double least = kInfinity, greatest = -kInfinity;
  for (const double x : mark.xs) {
    if (!std::isfinite(x)) continue;
    least = std::min(least, x);
    greatest = std::max(greatest, x);
  }
  const bool several = mark.xs.size() > 1 && greatest > least;
  return several ? std::min((greatest - least) / static_cast<double>(mark.xs.size() - 1), kLargest) : 1;
}

Shades shades_of(const Chart::Mark& mark, std::int64_t columns, std::int64_t rows) {
  const auto values = static_cast<std::int64_t>(mark.ys.size());
  const double length = mark.xs.empty() || !std::isfinite(mark.xs[0]) ? 0 : mark.xs[0];
  if (values == 0 || length < 1) return {};
  const auto width = static_cast<std::int64_t>(std::min(length, static_cast<double>(values)));
  const std::int64_t height = values / width;
  Shades out{std::min(columns, width), std::min(rows, height), {}};
  if (columns == INT64_MAX) return out;
  const Axis range(mark.ys, 1);
  for (std::int64_t i = 0; i < out.rows; ++i)
    for (std::int64_t j = 0; j < out.columns; ++j) {
      const double value =
          mark.ys[static_cast<std::size_t>(i * height / out.rows * width + j * width / out.columns)];
      out.shades.push_back(std::isfinite(value) ? range.part(value) : 0);
    }
  return out;
}

}  // namespace nvm::vm
