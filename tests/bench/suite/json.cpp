#include <boost/property_tree/json_parser.hpp>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/bench/suite/report.h"

namespace nvm::bench {

namespace {

using boost::property_tree::ptree;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out + "\"";
}

void write_timing(std::ostream& out, const Timing& t) {
  out << "    {\"name\": " << quoted(t.name) << ", \"what\": " << quoted(t.what)
      << ", \"wrong\": " << quoted(t.wrong) << ", \"first\": " << t.first;
  if (!t.runs.empty())
    out << ", \"median\": " << t.median() << ", \"q1\": " << t.quantile(0.25)
        << ", \"q3\": " << t.quantile(0.75) << ", \"min\": " << t.quantile(0);
  out << ", \"runs\": [";
  for (std::size_t i = 0; i < t.runs.size(); ++i) out << (i == 0 ? "" : ", ") << t.runs[i];
  out << "]}";
}

Timing read_timing(const ptree& tree) {
  Timing t{tree.get<std::string>("name"),
           tree.get<std::string>("what"),
           tree.get<std::string>("wrong"),
           tree.get<double>("first"),
           {}};
  for (const auto& [_, run] : tree.get_child("runs")) t.runs.push_back(run.get_value<double>());
  return t;
}

Row read_row(const ptree& tree) {
  Row row;
  row.id = tree.get<std::string>("workload");
  row.title = tree.get<std::string>("title");
  row.n = tree.get<std::int64_t>("n");
  row.threads = tree.get<int>("threads");
  row.cold = tree.get<bool>("cold", false);
  row.triad = tree.get<double>("triad");
  row.target = tree.get<double>("target");
  row.rival = tree.get<std::string>("rival");
  for (const auto& [_, timing] : tree.get_child("timings")) row.timings.push_back(read_timing(timing));
  return row;
}

}  // namespace

void write_json(const Report& report, const std::string& path) {
  std::ostringstream out;
  out.precision(9);
  out << "{\"machine\": " << quoted(report.machine) << ",\n \"version\": " << quoted(report.version)
      << ",\n \"date\": " << quoted(report.date) << ",\n \"seed\": " << report.seed << ",\n \"rows\": [";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    out << (i == 0 ? "\n" : ",\n") << "  {\"workload\": " << quoted(row.id)
        << ", \"title\": " << quoted(row.title) << ", \"n\": " << row.n << ", \"threads\": " << row.threads
        << (row.cold ? ", \"cold\": true" : "") << ", \"triad\": " << row.triad
        << ", \"target\": " << row.target << ", \"rival\": " << quoted(row.rival) << ", \"timings\": [";
    for (std::size_t k = 0; k < row.timings.size(); ++k) {
      out << (k == 0 ? "\n" : ",\n");
      write_timing(out, row.timings[k]);
    }
    out << "]}";
  }
  out << "]}\n";
  write_whole(path, out.str());
}

Report read_json(const std::string& path) {
  ptree tree;
  try {
    boost::property_tree::read_json(path, tree);
    Report report;
    report.machine = tree.get<std::string>("machine");
    report.version = tree.get<std::string>("version");
    report.date = tree.get<std::string>("date");
    report.seed = tree.get<std::uint64_t>("seed");
    for (const auto& [_, row] : tree.get_child("rows")) report.rows.push_back(read_row(row));
    return report;
  } catch (const boost::property_tree::json_parser_error& e) {  // names the file
    throw std::runtime_error(e.what());
  } catch (const boost::property_tree::ptree_error& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

}  // namespace nvm::bench
