// Charts as SVG.
#include <cmath>
#include <cstdio>

#include "bytecode/base/utf8.h"
#include "vm/lib/canvas.h"

namespace nvm::vm {

namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

std::string place(const Point& at) { return attribute("x", number(at.x)) + attribute("y", number(at.y)); }

std::string code(Colour c) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", c.red, c.green, c.blue);
  return text;
}

bool stands_in_xml(std::int32_t c) {
  return c >= ' ' && (c < 0x7f || c > 0x9f) && c != 0xfffe && c != 0xffff;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const std::int32_t c : decode_utf8(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: encode_utf8(stands_in_xml(c) ? c : '?', out);
    }
  }
  return out;
}

class SvgCanvas final : public Canvas {
 public:
  [[nodiscard]] const std::string& elements() const { return out_; }

  void rule(Point from, Point to) override {
    out_ += "<path d=\"M" + number(from.x) + "," + number(from.y) +
            (from.x == to.x ? "V" + number(to.y) : "H" + number(to.x)) + "\" stroke=\"#d8d8d8\"/>\n";
  }
  void text(Point at, Anchor anchor, double size, const std::string& text) override {
    constexpr const char* kAnchors[] = {"start", "middle", "end"};
    out_ += "<text" + place(at) + attribute("text-anchor", kAnchors[static_cast<int>(anchor)]) +
            (size == kTextSize ? "" : attribute("font-size", number(size))) + ">" + escaped(text) +
            "</text>\n";
  }
  void line(std::span<const Point> points, Colour colour) override {
    out_ += "<polyline fill=\"none\"" + attribute("stroke", code(colour)) +
            attribute("stroke-width", number(kStroke)) + " points=\"";
    for (const Point& point : points) out_ += number(point.x) + "," + number(point.y) + " ";
    out_.back() = '"';
    out_ += "/>\n";
  }
  void dot(Point at, Colour colour) override {
    out_ += "<circle" + attribute("cx", number(at.x)) + attribute("cy", number(at.y)) +
            attribute("r", number(kDot)) + attribute("fill", code(colour)) + "/>\n";
  }
  void rectangle(Point corner, double width, double height, Colour colour) override {
    out_ += "<rect" + place(corner) + attribute("width", number(width)) +
            attribute("height", number(height)) + attribute("fill", code(colour)) + "/>\n";
  }
  void image(const Shades& shades, Point corner, double width, double height) override {
    constexpr double kOverlap = 0.3;  // so that no seams are seen
    const double across = width / static_cast<double>(shades.columns);
    const double up = height / static_cast<double>(shades.rows);
    out_ += "<g shape-rendering=\"crispEdges\">\n";
    for (std::int64_t row = 0; row < shades.rows; ++row)
      for (std::int64_t column = 0; column < shades.columns; ++column) {
        const double shade = shades.shades[static_cast<std::size_t>(row * shades.columns + column)];
        const auto grey = static_cast<std::uint8_t>(std::lround(shade * 255));
        rectangle({corner.x + static_cast<double>(column) * across, corner.y + static_cast<double>(row) * up},
                  across + kOverlap, up + kOverlap, {grey, grey, grey});
      }
    out_ += "</g>\n";
  }

 private:
  std::string out_;
};

}  // namespace

std::string draw_svg(const Chart& chart) {
  SvgCanvas canvas;
  draw(chart, canvas);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(kPageWidth) + " " +
         std::to_string(kPageHeight) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + canvas.elements() + "</svg>\n";
}

}  // namespace nvm::vm
