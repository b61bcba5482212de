#include "vm/lib/chart.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace nvm::vm;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

// Of different sizes and signs, and what has no place on an axis.
std::vector<double> strange_numbers(std::mt19937& random, std::size_t n) {
  static const double kStrange[] = {0.0,  -0.0,  1.0,  -1.0,   kMax, -kMax, kLeast,
                                    kInf, -kInf, kNan, 1e-300, 4e18, 0.1};
  std::vector<double> numbers(n);
  for (double& x : numbers)
    x = random() % 3 == 0 ? std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 130)
                          : kStrange[random() % std::size(kStrange)];
  return numbers;
}

Range range_of(const std::vector<double>& numbers) {
  Range range;
  for (const double x : numbers) range.add(x);
  return range;
}

std::size_t characters(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

Chart chart_with(Chart::Kind kind, std::vector<double> xs, std::vector<double> ys) {
  return {"", {{kind, std::move(xs), std::move(ys)}}};
}

}  // namespace

TEST_CASE("ticks are round numbers within the axis, and few") {
  const Range numbers = range_of({0.0, 9.3, 4.0});
  const Axis axis(numbers, 5);
  CHECK(axis.ticks() == std::vector<double>{0, 2, 4, 6, 8});
  CHECK(axis.label(8) == "8");
  CHECK(axis.part(0) == 0);
  CHECK(axis.part(9.3) == 1);
  CHECK(Axis(numbers, 5, true).part(9.3) == 0);
  CHECK(Axis(range_of({0.25, 0.75}), 5).label(0.5) == "0.5");
}

TEST_CASE("an axis of any numbers has ticks and a place for each finite one") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> numbers = strange_numbers(random, random() % 5);
    const Axis axis(range_of(numbers), 5);
    CHECK_FALSE(axis.ticks().empty());
    CHECK(axis.ticks().size() <= 12);
    for (const double x : numbers) {
      if (!std::isfinite(x)) continue;
      CHECK(axis.part(x) >= 0);
      CHECK(axis.part(x) <= 1);
    }
    for (const double tick : axis.ticks()) CHECK(axis.label(tick).size() <= 14);
  }
}

TEST_CASE("drawings of any numbers keep to their size") {
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    const std::size_t n = random() % 40;
    const auto kind = static_cast<Chart::Kind>(random() % 4);
    Chart chart = chart_with(kind, strange_numbers(random, n), strange_numbers(random, n));
    chart.title = "a\nb";
    const std::string text = draw_text(chart, 60, 10);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 13);
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      CHECK(characters(text.substr(at, text.find('\n', at) - at)) <= 60);
    CHECK(draw_svg(chart).ends_with("</svg>\n"));
  }
}

TEST_CASE("nothing to draw is said") {
  CHECK(draw_text(chart_with(Chart::Kind::kLine, {}, {})) == "(nothing to draw)\n");
  CHECK(draw_text(chart_with(Chart::Kind::kPoints, {1}, {kNan})) == "(nothing to draw)\n");
  CHECK(draw_text(chart_with(Chart::Kind::kImage, {0}, {})) == "(nothing to draw)\n");
  CHECK(draw_svg(chart_with(Chart::Kind::kBars, {}, {})).find("nothing to draw") != std::string::npos);
}

TEST_CASE("the size of a drawing does not grow with the number of values") {
  std::mt19937 random(13);
  for (const auto kind : {Chart::Kind::kLine, Chart::Kind::kBars, Chart::Kind::kImage}) {
    std::vector<double> xs(1'000'000), ys(xs.size());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      xs[i] = kind == Chart::Kind::kImage ? 1000 : static_cast<double>(i);
      ys[i] = static_cast<double>(random() % 1000);
    }
    CHECK(draw_svg(chart_with(kind, xs, ys)).size() < 8'000'000);
  }
}

TEST_CASE("a line of many values shows its peaks") {
  std::vector<double> xs(100'000), ys(xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<double>(i);
  ys[50'003] = 1;
  ys[70'001] = -1;
  const std::string svg = draw_svg(chart_with(Chart::Kind::kLine, xs, ys));
  const std::string points = svg.substr(svg.find("points="));
  CHECK(points.find(",40.0 ") != std::string::npos);   // the top of the area
  CHECK(points.find(",400.0 ") != std::string::npos);  // its bottom
}

TEST_CASE("an image is read in rows from the top") {
  const Shades shades = shades_of({Chart::Kind::kImage, {2}, {0, 1, 2, 4}}, 8, 8);
  CHECK(shades.columns == 2);
  CHECK(shades.rows == 2);
  CHECK(shades.shades == std::vector<double>{0, 0.25, 0.5, 1});
}
