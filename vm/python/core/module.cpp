// The extension module: nodes, values and machines as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "vm/python/core/evaluate.h"
#include "vm/python/core/machines.h"
#include "vm/python/core/memory.h"
#include "vm/python/core/node.h"
#include "vm/python/core/session.h"

namespace nb = nanobind;
using namespace nvm::python;
namespace lib = nvm::lib;

namespace {

// What Python holds: one result of a node.
struct Handle {
  Output output;
  [[nodiscard]] lib::Kind kind() const { return output.node->kinds[static_cast<std::size_t>(output.index)]; }
};

constexpr int kMostDepth = 200;  // instructions that are recorded on top of each other

lib::Kind kind_of(char letter) {
  switch (letter) {
    case 'F': return lib::Kind::kFloat;
    case 'B': return lib::Kind::kBool;
    case 'S': return lib::Kind::kSegdes;
    default: return lib::Kind::kInt;
  }
}
char letter_of(lib::Kind kind) { return "IFBSP"[static_cast<int>(kind)]; }

// Records an instruction; `kinds` are those of its results.
std::vector<Handle> record(std::string text, const std::string& kinds, const std::vector<Handle>& operands) {
  auto node = std::make_shared<Node>();
  node->text = std::move(text);
  for (const Handle& operand : operands) {
    node->depth = std::max(node->depth, operand.output.node->depth);
    node->operands.push_back(operand.output.node);
    node->indices.push_back(operand.output.index);
  }
  ++node->depth;
  node->site = Site::here();
  ++recorded();
  std::vector<Handle> results;
  for (const char kind : kinds) {
    node->kinds.push_back(kind_of(kind));
    results.push_back({{node, static_cast<int>(results.size())}});
  }
  return results;
}

Handle given_handle(lib::Value value) { return {{given(std::move(value)), 0}}; }

const lib::Value& value_of(const Handle& handle) {
  if (!handle.output.node->evaluated()) throw nb::value_error("not evaluated");
  return handle.output.node->values[static_cast<std::size_t>(handle.output.index)];
}

nb::object site_of(const NodeRef& node) {
  if (node == nullptr || node->site.code() == nullptr) return nb::none();
  return nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(node->site.code())), node->site.offset());
}

// What an evaluation leaves: counters, or why it failed.
nb::object evaluated(const std::vector<Handle>& handles, const lib::Options& options, bool long_run) {
  std::vector<NodeRef> nodes;
  for (const Handle& handle : handles) nodes.push_back(handle.output.node);
  lib::Run run;
  auto failed = evaluate(nodes, options, long_run, run);
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (!failed)
    return nb::make_tuple(run.counters.regions, run.counters.kernels, run.counters.compiled,
                          run.counters.peak_bytes, run.counters.seconds, run.explanation);
  std::vector<Handle> operands;
  if (failed->at != nullptr)
    for (std::size_t k = 0; k < failed->at->operands.size(); ++k)
      operands.push_back({{failed->at->operands[k], failed->at->operand_index(static_cast<int>(k))}});
  return nb::make_tuple(static_cast<int>(failed->failure.cause), failed->failure.reason,
                        failed->failure.message, site_of(failed->at),
                        failed->at != nullptr ? failed->at->text : std::string(), std::move(operands));
}

}  // namespace

NB_MODULE(_nvm, m) {
  nb::set_leak_warnings(false);
  nb::class_<Handle>(m, "Handle")
      .def_prop_ro("kind", [](const Handle& h) { return std::string(1, letter_of(h.kind())); })
      .def_prop_ro("evaluated", [](const Handle& h) { return h.output.node->evaluated(); })
      .def_prop_ro("depth", [](const Handle& h) { return h.output.node->depth; })
      .def_prop_ro("site", [](const Handle& h) { return site_of(h.output.node); })
      .def_prop_ro("text", [](const Handle& h) { return h.output.node->text; })
      .def_prop_ro("size", [](const Handle& h) { return value_of(h).size(); })
      .def_prop_ro("key",
                   [](const Handle& h) {
                     return nb::make_tuple(reinterpret_cast<std::uintptr_t>(h.output.node.get()),
                                           h.output.index);
                   })
      .def_prop_ro("operands",
                   [](const Handle& h) {
                     std::vector<Handle> operands;
                     for (std::size_t k = 0; k < h.output.node->operands.size(); ++k)
                       operands.push_back(
                           {{h.output.node->operands[k], h.output.node->operand_index(static_cast<int>(k))}});
                     return operands;
                   })
      .def("numpy", [](const Handle& h) { return to_numpy(value_of(h)); })
      .def("int_at", [](const Handle& h, std::int64_t i) { return value_of(h).int_at(i); })
      .def("float_at", [](const Handle& h, std::int64_t i) { return value_of(h).float_at(i); })
      .def("bool_at", [](const Handle& h, std::int64_t i) { return value_of(h).bool_at(i); });

  nb::class_<lib::Options>(m, "Options")
      .def("__init__", [](lib::Options* o, int jit, int fusion, int threads, std::uint64_t memory,
                          std::int64_t max_depth, const std::string& explain) {
        new (o) lib::Options();
        o->jit = static_cast<lib::Jit>(jit);
        o->fusion = static_cast<lib::Fusion>(fusion);
        o->threads = threads;
        o->memory = memory;
        o->max_depth = max_depth;
        o->explain = explain;
        o->region_limit = 4000;  // graphs are bounded before
      });

  m.def("record", &record, nb::arg("text"), nb::arg("kinds"), nb::arg("operands"));
  m.def("borrow",
        [](nb::handle object, const std::string& code) { return given_handle(borrow(object, code[0])); });
  m.def("descriptor", [](nb::handle lengths) { return given_handle(descriptor(lengths)); });
  m.def("of_int", [](std::int64_t x) { return given_handle(lib::make_ints({&x, 1})); });
  m.def("of_float", [](double x) { return given_handle(lib::make_floats({&x, 1})); });
  m.def("of_bool", [](bool x) {
    const std::uint8_t byte = x ? 1 : 0;
    return given_handle(lib::make_bools({&byte, 1}));
  });
  m.def("one_segment", [](std::int64_t n) {
    auto made = lib::make_segdes({&n, 1});
    if (!made) throw nb::value_error(made.failure().reason.c_str());
    return given_handle(*made);
  });
  m.def("evaluate", &evaluated, nb::arg("handles"), nb::arg("options"), nb::arg("long_run"));
  m.def("recorded", [] { return recorded(); });
  m.def("after_fork", &abandon_machines);
  m.def("version", &lib::version);

  nb::class_<Session>(m, "Session")
      .def(nb::init<const lib::Options&>())
      .def("define", &Session::define)
      .def("call", [](Session& session, const std::string& function, const std::vector<std::string>& types,
                      const std::vector<std::vector<Handle>>& arguments) {
        std::vector<lib::NeslValue> given;
        for (std::size_t k = 0; k < types.size(); ++k) {
          given.push_back({types[k], {}});
          for (const Handle& part : arguments[k]) given.back().parts.push_back(value_of(part));
        }
        auto result = session.call(function, given);
        if (!result) return failure_tuple(result.failure());
        std::vector<Handle> parts;
        for (const lib::Value& part : result->parts) parts.push_back(given_handle(part));
        return nb::object(nb::make_tuple(result->type, std::move(parts)));
      });
}
