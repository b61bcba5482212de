// Times over sizes (or threads) as SVG, logarithmic both ways, and the ratios of all workloads as bars.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/bench/suite/report.h"

namespace nvm::bench {

namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr const char* kColours[] = {"#1b6ca8", "#8fb8de", "#c8553d", "#588157",
                                    "#9a6fb0", "#6b705c", "#d4a017"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string short_number(double x) {
  std::ostringstream out;
  out.precision(3);
  if (x >= 1000 && x < 1e9)
    out << static_cast<long long>(std::llround(x));
  else
    out << x;
  return out.str();
}

class Svg {
 public:
  Svg(double width, double height) {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
         << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
            "fill=\"white\"/>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* colour) {
    out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" stroke=\""
         << colour << "\"/>\n";
  }
  void path(const Points& points, const char* colour) {
    out_ << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
    for (const auto& [x, y] : points) out_ << x << "," << y << " ";
    out_ << "\"/>\n";
    for (const auto& [x, y] : points)
      out_ << "<circle r=\"3\" fill=\"" << colour << "\" cx=\"" << x << "\" cy=\"" << y << "\"/>\n";
  }
  void bar(double x, double y, double width, double height, const char* colour) {
    out_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height
         << "\" fill=\"" << colour << "\"/>\n";
  }
  void text(double x, double y, const std::string& words, const char* anchor = "start",
            const char* colour = "black") {
    out_ << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\" fill=\"" << colour
         << "\">" << escaped(words) << "</text>\n";
  }
  void save(const std::string& path) { write_whole(path, out_.str() + "</svg>\n"); }

 private:
  std::ostringstream out_;
};

// Maps an interval logarithmically.
struct Axis {
  double low, high, from, to;
  [[nodiscard]] double at(double v) const {
    const double span = std::log(high / low);
    return span > 0 ? from + (to - from) * std::log(v / low) / span : (from + to) / 2;
  }
};

std::map<std::string, Points> series_of(const std::vector<const Row*>& rows, bool over_threads) {
  std::map<std::string, Points> series;
  for (const Row* row : rows)
    for (const Timing& t : row->timings)
      if (!t.runs.empty())
        series[t.name].emplace_back(over_threads ? row->threads : static_cast<double>(row->n),
                                    1e3 * t.median());
  for (auto& [_, points] : series) std::sort(points.begin(), points.end());
  return series;
}

void plot(const std::vector<const Row*>& rows, bool over_threads, const std::string& path) {
  const auto series = series_of(rows, over_threads);
  double x0 = 1e300, x1 = 0, y0 = 1e300, y1 = 0;
  for (const auto& [_, points] : series)
    for (const auto& [x, y] : points)
      x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
  if (series.empty()) return;
  y0 = std::pow(10, std::floor(std::log10(y0))), y1 = std::pow(10, std::ceil(std::log10(y1)));
  const Axis xs{x0, x1, 80, 460}, ys{y0, y1, 330, 50};
  Svg svg(640, 380);
  svg.text(80, 25, rows[0]->id + ": " + rows[0]->title);
  for (double y = y0; y <= y1 * 1.001; y *= 10) {
    svg.line(80, ys.at(y), 460, ys.at(y), "#dddddd");
    svg.text(74, ys.at(y) + 4, short_number(y) + " ms", "end");
  }
  double label_y = 60;
  int colour = 0;
  for (const auto& [name, points] : series) {
    const char* c = kColours[colour++ % 7];
    Points at;
    for (const auto& [x, y] : points) at.emplace_back(xs.at(x), ys.at(y));
    svg.path(at, c);
    svg.text(480, label_y, name, "start", c);
    label_y += 18;
    if (colour == 1)
      for (const auto& [x, y] : points) svg.text(xs.at(x), 350, short_number(x), "middle");
  }
  svg.text(270, 370, over_threads ? "threads" : "n", "middle");
  svg.save(path);
}

// nvm over the target's rival, with a mark where the target is.
void plot_summary(const std::vector<const Row*>& rows, const std::string& path) {
  const double height = 80.0 + 20.0 * static_cast<double>(rows.size());
  const Axis xs{0.1, 100, 220, 600};
  Svg svg(640, height);
  svg.text(20, 20, "nvm's time over that of the rival (bar) and the target (line); shorter is better");
  for (const double tick : {0.1, 1.0, 10.0, 100.0}) {
    svg.line(xs.at(tick), 40, xs.at(tick), height - 30, "#dddddd");
    svg.text(xs.at(tick), height - 12, short_number(tick), "middle");
  }
  double y = 40;
  for (const Row* row : rows) {
    const auto ratio = row->ratio(row->rival);
    svg.text(210, y + 11, row->id + " / " + row->rival, "end");
    if (ratio) {
      const double end = xs.at(std::clamp(*ratio, 0.1, 100.0));
      svg.bar(220, y, end - 220, 14, *ratio <= row->target ? "#588157" : "#c8553d");
      svg.text(std::max(end, xs.at(row->target)) + 4, y + 11, short_number(*ratio));
    }
    svg.line(xs.at(row->target), y - 2, xs.at(row->target), y + 16, "black");
    y += 20;
  }
  svg.save(path);
}

}  // namespace

void make_folder(const std::string& directory) {
  std::error_code why;
  std::filesystem::create_directories(directory, why);
  if (why) throw std::runtime_error("the folder " + directory + " cannot be made: " + why.message());
}

void write_plots(const Report& report, const std::string& directory) {
  make_folder(directory);
  std::vector<std::string> ids;
  for (const Row& row : report.rows)
    if (std::find(ids.begin(), ids.end(), row.id) == ids.end()) ids.push_back(row.id);
  std::vector<const Row*> largest;
  for (const std::string& id : ids) {
    std::vector<const Row*> same_threads, same_size;
    const Row* most = nullptr;
    for (const Row& row : report.rows)
      if (row.id == id && (most == nullptr || larger(row, *most))) most = &row;
    for (const Row& row : report.rows) {
      if (row.id != id || row.cold != most->cold) continue;
      if (row.threads == most->threads) same_threads.push_back(&row);
      if (row.n == most->n) same_size.push_back(&row);
    }
    plot(same_threads, false, directory + "/" + id + ".svg");
    if (same_size.size() > 1) plot(same_size, true, directory + "/" + id + "-threads.svg");
    largest.push_back(most);
  }
  plot_summary(largest, directory + "/summary.svg");
}

}  // namespace nvm::bench
