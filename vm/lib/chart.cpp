#include "vm/lib/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bytecode/base/budget.h"
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
  for (std::int64_t i = 0; i < lengths(kMarks).length(0); ++i) {
    Chart::Mark mark{kind_of(text_at(lengths(kKindLengths), vector(kKinds), i)),
                     numbers_at(lengths(kXLengths), vector(kXs), i),
                     numbers_at(lengths(kYLengths), vector(kYs), i)};
    if (mark.kind != Chart::Kind::kImage) {
      const std::size_t both = std::min(mark.xs.size(), mark.ys.size());
      mark.xs.resize(both);
      mark.ys.resize(both);
    }
    chart.marks.push_back(std::move(mark));
  }
  return chart;
}

void Range::add(double x) {
  if (!std::isfinite(x)) return;
  x = std::clamp(x, -kLargest, kLargest);
  low_ = std::min(low_, x);
  high_ = std::max(high_, x);
}

Axis::Axis(const Range& range, int wanted, bool downwards) : downwards_(downwards) {
  if (!range.empty()) {
    low_ = range.low();
    high_ = range.high();
  }
  const double about = std::max(std::fabs(low_), std::fabs(high_));
  if (high_ - low_ <= std::max(about * 1e-12, kSmallest)) {  // one number, or as good as one
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

Area::Area(const Chart& chart) {
  for (const Chart::Mark& mark : chart.marks) {
    if (mark.kind == Chart::Kind::kImage) {
      const Shades size = shades_of(mark, 0, 0);
      downwards = true;
      if (size.height == 0) continue;
      for (const std::int64_t x : {std::int64_t{0}, size.width}) along.add(static_cast<double>(x));
      for (const std::int64_t y : {std::int64_t{0}, size.height}) up.add(static_cast<double>(y));
      continue;
    }
    const bool bars = mark.kind == Chart::Kind::kBars;
    const double half = bars ? bar_distance(mark) / 2 : 0;
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i])) continue;
      along.add(mark.xs[i] - half);
      along.add(mark.xs[i] + half);
      up.add(mark.ys[i]);
    }
    if (bars && !up.empty()) up.add(0);
  }
}

double bar_distance(const Chart::Mark& mark) {
  Range range;
  for (const double x : mark.xs) range.add(x);
  const bool several = mark.xs.size() > 1 && range.high() > range.low();
  return several ? std::min((range.high() - range.low()) / static_cast<double>(mark.xs.size() - 1), kLargest)
                 : 1;
}

Shades shades_of(const Chart::Mark& mark, std::int64_t columns, std::int64_t rows) {
  const auto values = static_cast<std::int64_t>(mark.ys.size());
  const double length = mark.xs.empty() || !std::isfinite(mark.xs[0]) ? 0 : mark.xs[0];
  if (values == 0 || length < 1) return {};
  Shades out;
  out.width = static_cast<std::int64_t>(std::min(length, static_cast<double>(values)));
  out.height = values / out.width;
  out.columns = std::min(columns, out.width);
  out.rows = std::min(rows, out.height);
  if (out.rows == 0) return out;
  Range range;
  for (const double y : mark.ys) range.add(y);
  const Axis scale(range, 1);
  for (std::int64_t i = 0; i < out.rows; ++i)
    for (std::int64_t j = 0; j < out.columns; ++j) {
      const std::int64_t at = i * out.height / out.rows * out.width + j * out.width / out.columns;
      const double value = mark.ys[static_cast<std::size_t>(at)];
      out.shades.push_back(std::isfinite(value) ? scale.part(value) : 0);
    }
  return out;
}

}  // namespace nvm::vm
