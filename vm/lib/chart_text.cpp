// Charts in letters.
#include <algorithm>
#include <cmath>

#include "bytecode/base/budget.h"
#include "vm/lib/chart.h"

namespace nvm::vm {

namespace {

constexpr int kDotColumns = 2, kDotRows = 4;  // of a character of Braille

std::string utf8(std::uint32_t code) {  // of three bytes
  return {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
          static_cast<char>(0x80 | (code & 0x3f))};
}

// The area of the marks: dots from the top left, and shades behind them.
class Canvas {
 public:
  Canvas(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  [[nodiscard]] int width() const { return columns_ * kDotColumns; }
  [[nodiscard]] int height() const { return rows_ * kDotRows; }

  void dot(int x, int y) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    static constexpr unsigned kBits[kDotRows][kDotColumns] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell(x / kDotColumns, y / kDotRows).dots |= kBits[y % kDotRows][x % kDotColumns];
  }

  void line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i)
      dot(x0 + static_cast<int>(std::lround(double(x1 - x0) * i / steps)),
          y0 + static_cast<int>(std::lround(double(y1 - y0) * i / steps)));
  }

  void shade(int column, int row, double part) {
    cell(column, row).shade = 1 + static_cast<int>(std::lround(part * 4));
  }

  [[nodiscard]] std::string row(int row) {
    static constexpr const char* kShades[] = {" ", " ", "░", "▒", "▓", "█"};
    std::string text;
    std::size_t used = 0;  // up to the last character that is not blank
    for (int column = 0; column < columns_; ++column) {
      const Cell& c = cell(column, row);
      text += c.dots != 0 ? utf8(0x2800 + c.dots) : kShades[c.shade];
      if (text.back() != ' ') used = text.size();
    }
    return text.substr(0, used);
  }

  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }

 private:
  struct Cell {
    std::uint32_t dots = 0;
    int shade = 0;
  };
  Cell& cell(int column, int row) {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  }

  int columns_, rows_;
  std::vector<Cell> cells_;
};

// The marks in the axes' scale.
class Drawing {
 public:
  Drawing(const Axes& axes, Canvas& canvas) : axes_(axes), canvas_(canvas) {}

  void mark(const Chart::Mark& mark) {
    switch (mark.kind) {
      case Chart::Kind::kLine: return line(mark);
      case Chart::Kind::kPoints: return points(mark);
      case Chart::Kind::kBars: return bars(mark);
      case Chart::Kind::kImage: return image(mark);
    }
  }

 private:
  [[nodiscard]] int x(double value) const {
    return static_cast<int>(std::lround(axes_.x.part(value) * (canvas_.width() - 1)));
  }
  [[nodiscard]] int y(double value) const {
    return static_cast<int>(std::lround((1 - axes_.y.part(value)) * (canvas_.height() - 1)));
  }

  void line(const Chart::Mark& mark) {
    bool joined = false;
    int last_x = 0, last_y = 0;
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      const bool finite = std::isfinite(mark.xs[i]) && std::isfinite(mark.ys[i]);
      if (finite) {
        const int to_x = x(mark.xs[i]), to_y = y(mark.ys[i]);
        if (joined)
          canvas_.line(last_x, last_y, to_x, to_y);
        else
          canvas_.dot(to_x, to_y);
        last_x = to_x;
        last_y = to_y;
      }
      joined = finite;
    }
  }

  void points(const Chart::Mark& mark) {
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (std::isfinite(mark.xs[i]) && std::isfinite(mark.ys[i])) canvas_.dot(x(mark.xs[i]), y(mark.ys[i]));
    }
  }

  // Four fifths of the distance between bars are bar.
  void bars(const Chart::Mark& mark) {
    const double half = bar_distance(mark) * 0.4;
    const int base = y(0);
    for (std::size_t i = 0; i < mark.xs.size(); ++i) {
      check_budget();
      if (!std::isfinite(mark.xs[i]) || !std::isfinite(mark.ys[i]) || mark.ys[i] == 0) continue;
      const int top = y(mark.ys[i]);
      for (int at = x(mark.xs[i] - half); at <= x(mark.xs[i] + half); ++at) canvas_.line(at, base, at, top);
    }
  }

  void image(const Chart::Mark& mark) {
    const Shades shades = shades_of(mark, canvas_.columns(), canvas_.rows());
    if (shades.rows == 0) return;
    for (int row = 0; row < canvas_.rows(); ++row)
      for (int column = 0; column < canvas_.columns(); ++column)
        canvas_.shade(
            column, row,
            shades.shades[static_cast<std::size_t>(row * shades.rows / canvas_.rows() * shades.columns +
                                                   column * shades.columns / canvas_.columns())]);
  }

  const Axes& axes_;
  Canvas& canvas_;
};

int row_of(const Axis& axis, double tick, int rows) {
  return static_cast<int>(std::lround((1 - axis.part(tick)) * (rows * kDotRows - 1))) / kDotRows;
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// The labels of the ticks below the axis, each around its place, where there is room.
std::string labels_below(const Axis& axis, int columns) {
  std::string text;
  for (const double tick : axis.ticks()) {
    const std::string label = axis.label(tick);
    const auto at = static_cast<std::int64_t>(std::lround(axis.part(tick) * (columns - 1)));
    const auto size = static_cast<std::int64_t>(label.size());
    const auto begin =
        static_cast<std::size_t>(std::max<std::int64_t>(0, std::min(at - size / 2, columns - size)));
    if (!text.empty() && begin < text.size() + 2) continue;
    text.resize(begin, ' ');
    text += label;
  }
  return text;
}

}  // namespace

std::string draw_text(const Chart& chart, int columns, int rows) {
  std::string title = chart.title;
  std::replace_if(
      title.begin(), title.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  const Area area(chart);
  if (area.empty()) return (title.empty() ? "" : title + "\n") + "(nothing to draw)\n";
  const Axes axes(area, 5, 4);
  std::size_t margin = 0;
  for (const double tick : axes.y.ticks()) margin = std::max(margin, axes.y.label(tick).size());
  Canvas canvas(std::max(8, columns - static_cast<int>(margin) - 2), rows);
  Drawing drawing(axes, canvas);
  for (const Chart::Mark& mark : chart.marks) drawing.mark(mark);

  std::string text;
  if (!title.empty()) text += std::string(margin + 2, ' ') + title + "\n";
  for (int row = 0; row < rows; ++row) {
    const auto& ticks = axes.y.ticks();
    const auto tick =
        std::find_if(ticks.begin(), ticks.end(), [&](double at) { return row_of(axes.y, at, rows) == row; });
    text += padded(tick == ticks.end() ? "" : axes.y.label(*tick), margin);
    text += (tick == ticks.end() ? " │" : " ┤") + canvas.row(row) + "\n";
  }
  std::string line;
  for (int column = 0; column < canvas.columns(); ++column) {
    const auto& ticks = axes.x.ticks();
    const bool tick = std::any_of(ticks.begin(), ticks.end(), [&](double at) {
      return std::lround(axes.x.part(at) * (canvas.columns() - 1)) == column;
    });
    line += tick ? "┬" : "─";
  }
  return text + std::string(margin + 1, ' ') + "└" + line + "\n" + std::string(margin + 2, ' ') +
         labels_below(axes.x, canvas.columns()) + "\n";
}

}  // namespace nvm::vm
