// Charts as pixels: everything is lines and rectangles, whose edges cover pixels in part.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "bytecode/base/budget.h"
#include "bytecode/base/utf8.h"
#include "vm/lib/canvas.h"
#include "vm/lib/png.h"

namespace nvm::vm {

namespace {

constexpr double kScale = 2;  // pixels of a unit
constexpr Colour kGrid{0xd8, 0xd8, 0xd8}, kInk{};
constexpr double kCapital = 0.7;  // height of a capital in that of a line

struct Strokes {
  char character;
  std::string_view lines;
};
constexpr Strokes kStrokes[] = {
#define STROKES(character, lines) {character, lines},
#include "vm/lib/strokes.def"
};
static_assert(std::size(kStrokes) == '~' - ' ' + 1);

std::string_view strokes_of(std::int32_t c) {
  return kStrokes[c < ' ' || c > '~' ? '?' - ' ' : c - ' '].lines;
}

// In the units of strokes.
int width_of(std::string_view lines) {
  int width = lines.empty() ? 2 : 0;
  for (std::size_t i = 0; i < lines.size(); i += lines[i] == ' ' ? 1 : 2)
    if (lines[i] != ' ') width = std::max(width, lines[i] - '0');
  return width + 2;
}

class PixelCanvas final : public Canvas {
 public:
  PixelCanvas() {
    image_.width = static_cast<std::int64_t>(kPageWidth * kScale);
    image_.height = static_cast<std::int64_t>(kPageHeight * kScale);
    image_.channels = 3;
    image_.bytes.assign(static_cast<std::size_t>(image_.width * image_.height * 3), '\xff');
  }
  [[nodiscard]] const Image& image() const { return image_; }

  void rule(Point from, Point to) override {  // a pixel's edge, so that it is sharp
    const Point corner{std::floor(from.x * kScale) / kScale, std::floor(from.y * kScale) / kScale};
    rectangle(corner, std::max(to.x - from.x, 1 / kScale), std::max(to.y - from.y, 1 / kScale), kGrid);
  }
  void text(Point at, Anchor anchor, double size, const std::string& text) override;
  void line(std::span<const Point> points, Colour colour) override {
    for (std::size_t i = 1; i < points.size(); ++i) segment(points[i - 1], points[i], kStroke, colour);
  }
  void dot(Point at, Colour colour) override { segment(at, at, 2 * kDot, colour); }
  void rectangle(Point corner, double width, double height, Colour colour) override;
  void image(const Shades& shades, Point corner, double width, double height) override;

 private:
  // The colour over what is there, as far as it covers the pixel.
  void cover(std::int64_t column, std::int64_t row, double part, Colour colour) {
    if (part <= 0 || column < 0 || row < 0 || column >= image_.width || row >= image_.height) return;
    char* const pixel = &image_.bytes[static_cast<std::size_t>((row * image_.width + column) * 3)];
    const std::uint8_t channels[] = {colour.red, colour.green, colour.blue};
    for (int c = 0; c < 3; ++c) {
      const double before = static_cast<unsigned char>(pixel[c]);
      pixel[c] = static_cast<char>(std::lround(before + (channels[c] - before) * std::min(part, 1.0)));
    }
  }
  // A line with round ends, in units.
  void segment(Point from, Point to, double width, Colour colour);

  Image image_;
};

std::int64_t floor_of(double x) { return static_cast<std::int64_t>(std::floor(x)); }

// From the pixel of `low` to that of `high`, those of them that lie within 0 .. size - 1.
struct Pixels {
  Pixels(double low, double high, std::int64_t size)
      : first(std::max<std::int64_t>(floor_of(low), 0)), last(std::min(floor_of(high), size - 1)) {}
  std::int64_t first, last;
};

double squared_distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  const double x = p.x - a.x - along * dx, y = p.y - a.y - along * dy;
  return x * x + y * y;
}

// Goes along the longer direction, and in each step across as far as the line is thick there.
void PixelCanvas::segment(Point from, Point to, double width, Colour colour) {
  check_budget();
  const Point a{from.x * kScale, from.y * kScale}, b{to.x * kScale, to.y * kScale};
  const double radius = width * kScale / 2;
  const bool flat = std::fabs(b.x - a.x) >= std::fabs(b.y - a.y);
  const auto along = [&](Point p) { return flat ? p.x : p.y; };
  const auto across = [&](Point p) { return flat ? p.y : p.x; };
  const double length = along(b) - along(a);
  const double slope = length == 0 ? 0 : (across(b) - across(a)) / length;
  const double reach = (radius + 1) * std::sqrt(1 + slope * slope);
  const double low = std::min(along(a), along(b)), high = std::max(along(a), along(b));
  const Pixels steps(low - radius - 1, high + radius + 1, flat ? image_.width : image_.height);
  for (std::int64_t i = steps.first; i <= steps.last; ++i) {
    const double at = std::clamp(static_cast<double>(i) + 0.5, low, high);
    const double middle = across(a) + slope * (at - along(a));
    const Pixels thick(middle - reach, middle + reach, flat ? image_.height : image_.width);
    for (std::int64_t k = thick.first; k <= thick.last; ++k) {
      const double first = static_cast<double>(i) + 0.5, second = static_cast<double>(k) + 0.5;
      const Point pixel = flat ? Point{first, second} : Point{second, first};
      const double part = radius + 0.5 - std::sqrt(squared_distance(pixel, a, b));
      cover(flat ? i : k, flat ? k : i, part, colour);
    }
  }
}

void PixelCanvas::rectangle(Point corner, double width, double height, Colour colour) {
  const double left = corner.x * kScale, right = left + width * kScale;
  const double top = corner.y * kScale, bottom = top + height * kScale;
  const auto part = [](std::int64_t pixel, double low, double high) {
    const auto at = static_cast<double>(pixel);
    return std::min(high, at + 1) - std::max(low, at);
  };
  const Pixels rows(top, bottom, image_.height), columns(left, right, image_.width);
  for (std::int64_t row = rows.first; row <= rows.last; ++row)
    for (std::int64_t column = columns.first; column <= columns.last; ++column)
      cover(column, row, std::max(part(row, top, bottom), 0.0) * part(column, left, right), colour);
}

void PixelCanvas::image(const Shades& shades, Point corner, double width, double height) {
  const double left = corner.x * kScale, across = width * kScale / static_cast<double>(shades.columns);
  const double top = corner.y * kScale, up = height * kScale / static_cast<double>(shades.rows);
  const Pixels rows(top, top + height * kScale - 1, image_.height);
  const Pixels columns(left, left + width * kScale - 1, image_.width);
  const auto cell = [](std::int64_t pixel, double begin, double size, std::int64_t cells) {
    return std::clamp<std::int64_t>(floor_of((static_cast<double>(pixel) + 0.5 - begin) / size), 0,
                                    cells - 1);
  };
  for (std::int64_t row = rows.first; row <= rows.last; ++row)
    for (std::int64_t column = columns.first; column <= columns.last; ++column) {
      const std::int64_t at =
          cell(row, top, up, shades.rows) * shades.columns + cell(column, left, across, shades.columns);
      const auto grey =
          static_cast<std::uint8_t>(std::lround(shades.shades[static_cast<std::size_t>(at)] * 255));
      cover(column, row, 1, {grey, grey, grey});
    }
}

void PixelCanvas::text(Point at, Anchor anchor, double size, const std::string& text) {
  const double unit = kCapital * size / 6;
  int width = -2;
  const std::vector<std::int32_t> characters = decode_utf8(text);
  for (const std::int32_t c : characters) width += width_of(strokes_of(c));
  const double part = anchor == Anchor::kStart ? 0 : anchor == Anchor::kMiddle ? 0.5 : 1;
  double left = at.x - part * width * unit;
  const double top = at.y - 6 * unit;
  for (const std::int32_t c : characters) {
    const std::string_view lines = strokes_of(c);
    for (std::size_t i = 0; i < lines.size();) {
      const auto point = [&](std::size_t k) {
        return Point{left + (lines[k] - '0') * unit, top + (lines[k + 1] - '0') * unit};
      };
      const bool goes_on = i + 2 < lines.size() && lines[i + 2] != ' ';
      const bool alone = !goes_on && (i == 0 || lines[i - 1] == ' ');
      if (goes_on || alone) segment(point(i), point(goes_on ? i + 2 : i), size / 10, kInk);
      i += goes_on ? 2 : 3;
    }
    left += width_of(lines) * unit;
  }
}

}  // namespace

std::string draw_png(const Chart& chart, const std::string& path) {
  PixelCanvas canvas;
  draw(chart, canvas);
  return write_png(canvas.image(), path);
}

}  // namespace nvm::vm
