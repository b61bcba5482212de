#include "vm/python/core/watch.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <utility>

#include "vm/lib/profile.hpp"

namespace nvm::python {

namespace nb = nanobind;

namespace {

template <typename Made>
auto made_or_throw(Made made) {
  if (!made) throw std::runtime_error(made.failure().reason);
  return std::move(*made);
}

lib::ProfileQuery query_of(const std::string& columns, const std::string& sort, const std::string& tables,
                           std::int64_t rows) {
  lib::ProfileQuery query{columns, sort, tables, rows};
  const std::string wrong = lib::check_query(query);
  if (!wrong.empty()) throw nb::value_error(wrong.c_str());
  return query;
}

// text, json or csv of a query.
template <std::string (lib::Profiler::*kReport)(const lib::ProfileQuery&)>
std::string report(lib::Profiler& profiler, const std::string& columns, const std::string& sort,
                   const std::string& tables, std::int64_t rows) {
  const lib::ProfileQuery query = query_of(columns, sort, tables, rows);
  const nb::gil_scoped_release unlocked;  // the first one measures the machine
  return (profiler.*kReport)(query);
}

std::string html(lib::Profiler& profiler, const std::string& title) {
  lib::Capabilities allow;
  allow.read.emplace_back("/");  // the script's lines
  const nb::gil_scoped_release unlocked;
  return profiler.html(title, ".", allow);
}

}  // namespace

void bind_watchers(nb::module_& m) {
  nb::class_<lib::Watcher>(m, "Watcher");
  nb::class_<lib::Profiler, lib::Watcher>(m, "Profiler")
      .def("text", &report<&lib::Profiler::text>)
      .def("json", &report<&lib::Profiler::json>)
      .def("csv", &report<&lib::Profiler::csv>)
      .def("html", &html)
      .def("folded", &lib::Profiler::folded)
      .def("speedscope", &lib::Profiler::speedscope);
  m.def("profiler", [](int threads) { return made_or_throw(lib::Profiler::make({threads, true})); });
  nb::class_<lib::Trace, lib::Watcher>(m, "Trace").def("close", &lib::Trace::close);
  m.def("trace", [](const std::string& path) { return made_or_throw(lib::Trace::open(path)); });
}

}  // namespace nvm::python
