// What charts are drawn on, in units of a page of kPageWidth by kPageHeight, from its upper left corner.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vm/lib/chart.h"

namespace nvm::vm {

inline constexpr int kPageWidth = 720, kPageHeight = 440;
inline constexpr double kTextSize = 12, kTitleSize = 15;  // heights of lines
inline constexpr double kStroke = 1.5, kDot = 2.5;        // width of lines, radius of points

struct Point {
  double x = 0, y = 0;
};

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };  // of a text, where its point is

class Canvas {
 public:
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  virtual void rule(Point from, Point to) = 0;  // of the grid, thin and grey
  // The baseline begins, ends, or has its middle at the point.
  virtual void text(Point at, Anchor anchor, double size, const std::string& text) = 0;
  virtual void line(std::span<const Point> points, Colour colour) = 0;
  virtual void dot(Point at, Colour colour) = 0;
  virtual void rectangle(Point corner, double width, double height, Colour colour) = 0;
  virtual void image(const Shades& shades, Point corner, double width, double height) = 0;

 protected:
  Canvas() = default;
};

// The number of things drawn has a bound that does not depend on the number of values, unless lines go to and
// fro. Asks the budget.
void draw(const Chart& chart, Canvas& canvas);

}  // namespace nvm::vm
