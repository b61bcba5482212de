// The extension module: nodes, values and machines as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "vm/lib/session.h"
#include "vm/lib/watch.hpp"
#include "vm/python/core/array.h"
#include "vm/python/core/elements.h"
#include "vm/python/core/evaluate.h"
#include "vm/python/core/memory.h"
#include "vm/python/core/places.h"
#include "vm/python/core/session.h"
#include "vm/python/core/top_level.h"
#include "vm/python/core/watch.h"

namespace nb = nanobind;
using namespace nvm::python;
namespace lib = nvm::lib;

namespace {

// Of a list of handles; elements without any, which NumPy has, are a mistake of the package.
std::vector<lib::Promise> promises_of(nb::handle handles) {
  std::vector<lib::Promise> promises;
  for (const nb::handle h : handles) {
    const lib::Promise* promise = nullptr;
    if (h.is_none() || !nb::try_cast(h, promise))
      throw nb::type_error("this is not there yet for elements of this type");
    promises.push_back(*promise);
  }
  return promises;
}

// Records an instruction; a handle for each of its results.
nb::list record(const std::string& text, nb::handle handles) {
  const std::vector<lib::Promise> operands = promises_of(handles);
  const lib::Instruction* instruction = lib::find_instruction(text);
  if (instruction == nullptr) throw nb::value_error(("no instruction: " + text).c_str());
  if (operands.empty() || static_cast<int>(operands.size()) != lib::operands_of(*instruction))
    throw nb::value_error((text + " has another number of operands").c_str());
  bound_depth(operands);
  const lib::Promise first = lib::record(*instruction, operands);
  nb::list results;
  for (int k = 0; k < lib::results_of(*instruction); ++k)
    results.append(nb::cast(lib::Promise(first.node(), k)));
  return results;
}

const lib::Value& value_of(const lib::Promise& promise) {
  if (!promise.evaluated()) throw nb::value_error("not evaluated");
  return promise.value();
}

nb::object site_of(const lib::Promise& promise) {
  if (!promise || promise.place().code == nullptr) return nb::none();
  return nb::make_tuple(nb::handle(static_cast<PyObject*>(promise.place().code)), promise.place().offset);
}

// What an evaluation leaves: counters, or why it failed.
nb::object evaluated(nb::handle handles, lib::Session& session) {
  const std::vector<lib::Promise> wanted = promises_of(handles);
  lib::Run run;
  const auto failed = session.evaluate(wanted, run_interruptibly, run);
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (!failed)
    return nb::make_tuple(run.counters.regions, run.counters.kernels, run.counters.compiled,
                          run.counters.peak_bytes, run.counters.seconds, run.explanation);
  const bool known = static_cast<bool>(failed->at);
  return nb::make_tuple(static_cast<int>(failed->failure.cause), failed->failure.reason,
                        failed->failure.message, site_of(failed->at),
                        known ? failed->at.text() : std::string(),
                        known ? failed->at.operands() : std::vector<lib::Promise>());
}

void bind_handle(nb::module_& m) {
  using lib::Promise;
  nb::class_<Promise>(m, "Handle")
      .def_prop_ro("kind",
                   [](const Promise& p) { return std::string(1, "IFBSP"[static_cast<int>(p.kind())]); })
      .def_prop_ro("evaluated", &Promise::evaluated)
      .def_prop_ro("depth", &Promise::depth)
      .def_prop_ro("site", [](const Promise& p) { return site_of(p); })
      .def_prop_ro("text", &Promise::text)
      .def_prop_ro("magnitude", &lib::magnitude_of)
      .def_prop_ro("size", [](const Promise& p) { return value_of(p).size(); })
      .def_prop_ro("key",
                   [](const Promise& p) {
                     return nb::make_tuple(reinterpret_cast<std::uintptr_t>(p.node()), p.index());
                   })
      .def_prop_ro("operands", &Promise::operands)
      .def("numpy", [](const Promise& p) { return to_numpy(value_of(p)); })
      .def("int_at", [](const Promise& p, std::int64_t i) { return value_of(p).int_at(i); })
      .def("float_at", [](const Promise& p, std::int64_t i) { return value_of(p).float_at(i); })
      .def("bool_at", [](const Promise& p, std::int64_t i) { return value_of(p).bool_at(i); });
}

void bind_tape(nb::module_& m) {
  m.def("parameter", [](const std::string& kind, int magnitude) {
    return graph().parameter(static_cast<lib::Kind>(std::string_view("IFBSP").find(kind.at(0))), magnitude);
  });
  nb::class_<lib::Tape>(m, "Tape")
      .def(
          "__init__",
          [](lib::Tape* tape, nb::handle inputs, nb::handle results) {
            new (tape) lib::Tape(promises_of(inputs), promises_of(results));
          },
          nb::arg("inputs"), nb::arg("results"))
      .def(
          "record",
          [](const lib::Tape& tape, nb::handle handles) {
            const std::vector<lib::Promise> inputs = promises_of(handles);
            if (inputs.size() != tape.inputs()) throw nb::value_error("another number of inputs");
            bound_depth(inputs);
            return tape.record(inputs);
          },
          nb::arg("inputs"));
}

}  // namespace

NB_MODULE(_nvm, m) {
  nb::set_leak_warnings(false);
  bind_handle(m);
  bind_elements(m);
  bind_array(m);
  bind_tape(m);
  bind_top_level(m);
  bind_watchers(m);

  nb::class_<lib::Options>(m, "Options")
      .def(
          "__init__",
          [](lib::Options* o, int jit, int fusion, int threads, std::uint64_t memory, std::int64_t max_depth,
             const std::string& explain, std::shared_ptr<lib::Watcher> watcher) {
            new (o) lib::Options();
            o->jit = static_cast<lib::Jit>(jit);
            o->fusion = static_cast<lib::Fusion>(fusion);
            o->threads = threads;
            o->memory = memory;
            o->max_depth = max_depth;
            o->explain = explain;
            o->region_limit = 4000;  // graphs are bounded before
            if (watcher) o->watchers.push_back(std::move(watcher));
          },
          nb::arg("jit"), nb::arg("fusion"), nb::arg("threads"), nb::arg("memory"), nb::arg("max_depth"),
          nb::arg("explain"), nb::arg("watcher").none() = nb::none());

  nb::class_<lib::Session>(m, "Evaluator")
      .def(nb::init<const lib::Options&>())
      .def("abandon", &lib::Session::abandon);

  m.def("record", &record, nb::arg("text"), nb::arg("operands"));
  m.def("constant_int", [](std::int64_t x) { return graph().constant(x); });
  m.def("constant_float", [](double x) { return graph().constant(x); });
  m.def("constant_bool", [](bool x) { return graph().constant(x); });
  m.def("borrow",
        [](nb::handle object, const std::string& code) { return graph().given(borrow(object, code[0])); });
  m.def("descriptor", [](nb::handle lengths) { return graph().given(descriptor(lengths)); });
  m.def("of_int", [](std::int64_t x) { return graph().given(lib::make_ints({&x, 1})); });
  m.def("of_float", [](double x) { return graph().given(lib::make_floats({&x, 1})); });
  m.def("of_bool", [](bool x) {
    const std::uint8_t byte = x ? 1 : 0;
    return graph().given(lib::make_bools({&byte, 1}));
  });
  m.def("one_segment", [](std::int64_t n) {
    auto made = lib::make_segdes({&n, 1});
    if (!made) throw nb::value_error(made.failure().reason.c_str());
    return graph().given(*made);
  });
  m.def("regular", [](std::int64_t segments, std::int64_t length) {
    auto made = lib::make_segdes(segments, length);
    if (!made) throw nb::value_error(made.failure().reason.c_str());
    return graph().given(*made);
  });
  m.def("evaluate", &evaluated, nb::arg("handles"), nb::arg("evaluator"));
  m.def("recorded", [] { return graph().recorded(); });
  m.def("version", &lib::version);

  nb::class_<Session>(m, "Session")
      .def(nb::init<const lib::Options&>())
      .def("define", &Session::define)
      .def("call", [](Session& session, const std::string& function, const std::vector<std::string>& types,
                      nb::sequence arguments) {
        std::vector<lib::NeslValue> given;
        for (std::size_t k = 0; k < types.size(); ++k) {
          given.push_back({types[k], {}});
          for (const lib::Promise& part : promises_of(arguments[k]))
            given.back().parts.push_back(value_of(part));
        }
        auto result = session.call(function, given);
        if (!result) return failure_tuple(result.failure());
        std::vector<lib::Promise> parts;
        for (const lib::Value& part : result->parts) parts.push_back(graph().given(part));
        return nb::object(nb::make_tuple(result->type, std::move(parts)));
      });
}
