#include "vm/lib/chart.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <regex>
#include <set>

#include "vm/lib/canvas.h"
#include "vm/lib/png.h"

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

// A picture's pixel at a place of the page, as SVG writes colours.
std::string colour_at(const Image& image, double x, double y) {
  const double scale = static_cast<double>(image.width) / kPageWidth;
  const auto at = [&](double of) { return static_cast<std::int64_t>(of * scale); };
  char text[8];
  const auto byte = [&](std::int64_t channel) {
    return static_cast<unsigned char>(
        image.bytes[static_cast<std::size_t>((at(y) * image.width + at(x)) * 3 + channel)]);
  };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", byte(0), byte(1), byte(2));
  return text;
}

Image picture_of(const Chart& chart) { return read_png(draw_png(chart, "x.png"), "x.png"); }

std::size_t pixels_of(const Image& image, Colour colour) {
  const char wanted[] = {static_cast<char>(colour.red), static_cast<char>(colour.green),
                         static_cast<char>(colour.blue)};
  std::size_t n = 0;
  for (std::size_t at = 0; at < image.bytes.size(); at += 3)
    if (image.bytes.compare(at, 3, wanted, 3) == 0) ++n;
  return n;
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

TEST_CASE("a picture has the drawing's points, corners of lines and bars at their places") {
  std::mt19937 random(17);
  const std::pair<Chart::Kind, std::regex> kinds[] = {
      {Chart::Kind::kPoints, std::regex("cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"2.5\" fill=\"(#......)\"")},
      {Chart::Kind::kLine, std::regex("[ \"]([0-9.]+),([0-9.]+)(?=[ \"])()")},
      {Chart::Kind::kBars, std::regex("x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"[0-9.]+\" "
                                      "height=\"[0-9]{2,}\\.[0-9]\" fill=\"(#......)\"")}};
  for (const auto& [kind, places] : kinds) {
    std::vector<double> xs(20), ys(20);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      xs[i] = static_cast<double>(i);
      ys[i] = static_cast<double>(random() % 1000);
    }
    const Chart chart = chart_with(kind, xs, ys);
    const std::string svg = draw_svg(chart);
    const Image image = picture_of(chart);
    CHECK(image.width == 2 * kPageWidth);
    CHECK(image.height == 2 * kPageHeight);
    CHECK(colour_at(image, 1, 1) == "#ffffff");
    std::size_t seen = 0;
    for (std::sregex_iterator it(svg.begin(), svg.end(), places), end; it != end; ++it, ++seen) {
      const double x = std::stod((*it)[1]), y = std::stod((*it)[2]);
      const double inside = kind == Chart::Kind::kBars ? 2 : 0;
      INFO(it->str());
      CHECK(colour_at(image, x + inside, y + inside) == "#0072b2");
    }
    CHECK(seen >= 15);
  }
}

TEST_CASE("a bar covers as many pixels as it is large, an image all of its area") {
  const Image bar = picture_of(chart_with(Chart::Kind::kBars, {0}, {1}));
  // One bar of 0.8 in an axis from -0.5 to 0.5, but for the pixels at its edge.
  const double area = 0.8 * (kPageWidth - 90) * 2 * (kPageHeight - 80) * 2;
  CHECK(std::fabs(static_cast<double>(pixels_of(bar, {0x00, 0x72, 0xb2})) - area) < 2 * (1260 + 720));
  const Image image = picture_of(chart_with(Chart::Kind::kImage, {2}, {0, 1, 2, 4}));
  for (const std::uint8_t grey : {std::uint8_t{64}, std::uint8_t{128}})
    CHECK(pixels_of(image, {grey, grey, grey}) == 630 * 360);
}

TEST_CASE("a drawing has the title in UTF-8, a picture a question mark for each letter that is not ASCII") {
  Chart chart = chart_with(Chart::Kind::kPoints, {1}, {2});
  chart.title = "\xc3\xa9<\xf0\x9f\x98\x80\x01\xff";
  CHECK(draw_svg(chart).find(">\xc3\xa9&lt;\xf0\x9f\x98\x80?\xef\xbf\xbd</text>") != std::string::npos);
  chart.title = "a\xc3\xa9";
  const Image image = picture_of(chart);
  chart.title = "a?";
  CHECK(image.bytes == picture_of(chart).bytes);
}

TEST_CASE("every character is drawn, in black, and none but blanks is like another") {
  std::set<std::string> pictures;
  for (char c = '!'; c <= '~'; ++c) {
    Chart chart = chart_with(Chart::Kind::kPoints, {}, {});
    chart.title = std::string("m") + c;  // whose middle depends on the width
    const Image image = picture_of(chart);
    CHECK(pixels_of(image, {0, 0, 0}) > 20);
    pictures.insert(image.bytes.substr(0, static_cast<std::size_t>(image.width) * 3 * 80));
  }
  CHECK(pictures.size() == '~' - '!' + 1);
}

TEST_CASE("pictures of any numbers and titles have one size") {
  std::mt19937 random(19);
  for (int i = 0; i < 40; ++i) {
    const std::size_t n = random() % 40;
    const auto kind = static_cast<Chart::Kind>(random() % 4);
    Chart chart = chart_with(kind, strange_numbers(random, n), strange_numbers(random, n));
    chart.title = std::string(random() % 2 == 0 ? 3 : 10'000, static_cast<char>(random() % 256));
    const Image image = picture_of(chart);
    CHECK(image.width == 2 * kPageWidth);
    CHECK(image.height == 2 * kPageHeight);
  }
}
