// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// fortran_sections: each kind of array section in each family of calls, against the same call on a
// copy of the section that was made element by element. All memory is compared, with what lies
// around. Any number of ranks up to kPeers. usage: fortran_sections [ROUNDS]
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "bindings/fortran/choice_buffer.hpp"
#include "bindings/fortran/kept.hpp"
#include "tests/mpi/check.h"
#include "tests/mpi/fortran_arrays.hpp"

namespace {

using remit::fortran::Access;
using remit::fortran::Blocks;
using remit::fortran::ChoiceBuffer;
using remit::fortran::Memory;
using remit::fortran::Operand;
using remit::fortran::Partitions;
using remit::fortran::Peers;
using remit::fortran::ScatteredOperand;
using remit::fortran::VaryingBlocks;
using remit::testing::ArraySection;
using Strides = std::vector<std::array<std::ptrdiff_t, 2>>;

constexpr int kPeers = 8;  // blocks that a section has room for

/// The datatypes of the test, and what an element must be to hold their parts.
struct Type {
  MPI_Datatype type;
  std::ptrdiff_t extent;
  std::ptrdiff_t unit;
  bool predefined;
};
std::vector<Type> types;

void make_types() {
  MPI_Datatype pair, vector, pieces, sized;
  MPI_Type_contiguous(2, MPI_INTEGER, &pair);
  MPI_Type_vector(2, 1, 2, MPI_INTEGER, &vector);
  const int lengths[] = {1, 2};
  const MPI_Aint displacements[] = {16, 0};
  const MPI_Datatype inner[] = {MPI_INTEGER, MPI_INTEGER8};
  MPI_Type_create_struct(2, lengths, displacements, inner, &pieces);
  MPI_Type_create_resized(pieces, 0, 24, &sized);
  MPI_Type_free(&pieces);
  for (MPI_Datatype* each : {&pair, &vector, &sized}) MPI_Type_commit(each);
  types = {{MPI_INTEGER, 4, 4, true}, {MPI_INTEGER8, 8, 8, true}, {MPI_CHARACTER, 1, 1, true},
           {pair, 8, 4, false},       {vector, 12, 4, false},     {sized, 24, 8, false}};
}

/// Kinds of section, for elements of `length` bytes, at least `elements` of them.
struct Kind {
  const char* name;
  std::function<Strides(std::ptrdiff_t length, std::ptrdiff_t elements, std::ptrdiff_t first)> make;
  bool wrong_length = false;
};
std::ptrdiff_t rows(std::ptrdiff_t elements, std::ptrdiff_t first) {
  return (elements + first - 1) / first;
}
const std::vector<Kind> kinds = {
    {"whole",
     [](auto l, auto n, auto) {
       return Strides{{n, l}};
     }},
    {"whole matrix",
     [](auto l, auto n, auto f) {
       return Strides{{f, l}, {rows(n, f), f * l}};
     }},
    {"row",
     [](auto l, auto n, auto f) {
       return Strides{{n, f * l}};
     }},
    {"columns",
     [](auto l, auto n, auto f) {
       return Strides{{f, l}, {rows(n, f), (f + 2) * l}};
     }},
    {"two strides",
     [](auto l, auto n, auto f) {
       return Strides{{f, 2 * l}, {rows(n, f), (2 * f + 3) * l}};
     }},
    {"negative",
     [](auto l, auto n, auto) {
       return Strides{{n, -2 * l}};
     }},
    {"reversed",
     [](auto l, auto n, auto) {
       return Strides{{n, -l}};
     }},
    {"columns backwards",
     [](auto l, auto n, auto f) {
       return Strides{{f, l}, {rows(n, f), -(f + 1) * l}};
     }},
    {"component",
     [](auto l, auto n, auto) {
       return Strides{{n, l + 20}};
     }},
    {"space",
     [](auto l, auto n, auto f) {
       return Strides{{f, 2 * l}, {2, 2 * f * l + 8}, {rows(n, 2 * f), 4 * f * l + 32}};
     }},
    {"four dimensions",
     [](auto l, auto n, auto f) {
       return Strides{
           {2, 3 * l}, {f, -7 * l}, {2, 7 * f * l + 8}, {rows(n, 4 * f), 14 * f * l + 32}};
     }},
    {"one of a dimension",
     [](auto l, auto n, auto f) {
       return Strides{{1, 5 * l}, {n, (f + 1) * l}, {1, l}};
     }},
    {"class(*)",
     [](auto l, auto n, auto) {
       return Strides{{n, l}};
     },
     true},
    {"row of class(*)",
     [](auto l, auto n, auto f) {
       return Strides{{n, (f + 1) * l}};
     },
     true},
};

/// A buffer as C has it.
struct Plain {
  void* at;
  MPI_Count items;
  MPI_Datatype datatype;
  [[nodiscard]] void* address() const { return at; }
  [[nodiscard]] MPI_Count count() const { return items; }
  [[nodiscard]] MPI_Datatype type() const { return datatype; }
  [[nodiscard]] bool ok() const { return true; }
  void keep_until(MPI_Request /*request*/, bool /*persistent*/) {}
};

/// How the same family of calls gets its buffers: of a copy in a row, or of the section itself.
struct PlainSide {
  void* row;
  Plain one(int count, MPI_Datatype type) { return {row, count, type}; }
  Plain blocks(int count, MPI_Datatype type, Peers, Access) { return {row, count, type}; }
  Plain partitions(int, int count, MPI_Datatype type) { return {row, count, type}; }
  Plain reduced(int count, MPI_Datatype type, Access) { return {row, count, type}; }
  Plain reduced_blocks(int count, MPI_Datatype type, Access) { return {row, count, type}; }
  Plain reduced_varying(const int*, MPI_Datatype type, Access) { return {row, 0, type}; }
  Plain varying(const int*, const int*, MPI_Datatype type, Peers, Access) { return {row, 0, type}; }
  template <class Displacement>
  Plain varying_types(const int*, const Displacement*, const MPI_Datatype*, Peers, Access) {
    return {row, 0, MPI_BYTE};
  }
  Plain packed(int size, Access) { return {row, size, MPI_BYTE}; }
};

struct SectionSide {
  ArraySection& array;
  ChoiceBuffer one(int count, MPI_Datatype type) {
    return {array.descriptor(), array.base(), count, type};
  }
  ChoiceBuffer blocks(int count, MPI_Datatype type, Peers peers, Access access) {
    return {array.descriptor(), array.base(), count, type, Blocks{peers, access}};
  }
  ChoiceBuffer partitions(int partitions, int count, MPI_Datatype type) {
    return {array.descriptor(), array.base(), count, type, Partitions{partitions}};
  }
  ChoiceBuffer reduced(int count, MPI_Datatype type, Access access) {
    return {array.descriptor(), array.base(), count, type, Operand{access}};
  }
  ChoiceBuffer reduced_blocks(int count, MPI_Datatype type, Access access) {
    const int* const none = nullptr;
    return {array.descriptor(), array.base(), count, type,
            ScatteredOperand{none, MPI_COMM_WORLD, access, true}};
  }
  ChoiceBuffer reduced_varying(const int* counts, MPI_Datatype type, Access access) {
    return {array.descriptor(), array.base(), 0, type,
            ScatteredOperand{counts, MPI_COMM_WORLD, access, true}};
  }
  ChoiceBuffer varying(const int* counts, const int* displs, MPI_Datatype type, Peers peers,
                       Access access) {
    return {array.descriptor(), array.base(), 0, type,
            VaryingBlocks{counts, displs, nullptr, peers, access}};
  }
  template <class Displacement>
  ChoiceBuffer varying_types(const int* counts, const Displacement* displs,
                             const MPI_Datatype* what, Peers peers, Access access) {
    return {array.descriptor(), array.base(), 0, MPI_BYTE,
            VaryingBlocks{counts, displs, what, peers, access}};
  }
  ChoiceBuffer packed(int size, Access access) {
    return {array.descriptor(), array.base(), size, MPI_BYTE, Operand{access}};
  }
};

/// What all ranks of a round agree on.
struct Round {
  int count;
  Type type;
  int root;
  std::vector<int> counts;  // of block i, at most `count`
  std::vector<int> displs;  // with gaps
  std::vector<int> places;  // for blocks of `count`
  MPI_Comm graph;
};

int n(const auto& buffer) {
  return static_cast<int>(buffer.count());
}

void finish(MPI_Request& request) {
  const MPI_Request before = request;
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  remit::fortran::request_completed(before);
}
/// Two rounds of a persistent operation, then its end.
void finish_persistent(MPI_Request& request) {
  for (int i = 0; i < 2; ++i) {
    remit::fortran::request_starts(request);
    OK(MPI_Start(&request));
    finish(request);
  }
  const MPI_Request before = request;
  OK(MPI_Request_free(&request));
  remit::fortran::request_freed(before);
}
/// How a collective is called: `how` is 0 for a blocking one, 1 for a nonblocking one, 2 for a
/// persistent one. call(request) returns after the call; buffers live in `keep`.
void complete(int how, MPI_Request& request, auto&... buffers) {
  if (how == 0) return;
  (buffers.keep_until(request, how == 2), ...);
  how == 1 ? finish(request) : finish_persistent(request);
}

const Peers kMembers{MPI_COMM_WORLD};

// The families. Send side s, receive side r.

void point_to_point(auto s, auto r, const Round& at, int how) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  auto out = s.one(at.count, at.type.type);
  auto in = r.one(at.count, at.type.type);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Sendrecv(out.address(), n(out), out.type(), right, 1, in.address(), n(in), in.type(),
                    left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else if (how == 1) {
    OK(MPI_Isendrecv(out.address(), n(out), out.type(), right, 1, in.address(), n(in), in.type(),
                     left, 1, MPI_COMM_WORLD, &request));
    finish(request);
  } else {
    MPI_Request both[2];
    OK(MPI_Recv_init(in.address(), n(in), in.type(), left, 1, MPI_COMM_WORLD, &both[0]));
    OK(MPI_Send_init(out.address(), n(out), out.type(), right, 1, MPI_COMM_WORLD, &both[1]));
    OK(MPI_Startall(2, both));
    OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    for (MPI_Request& each : both) OK(MPI_Request_free(&each));
  }
}

void replace(auto, auto r, const Round& at, int how) {
  auto in = r.one(at.count, at.type.type);
  CHECK(in.ok());
  if (how == 0) {
    OK(MPI_Sendrecv_replace(in.address(), n(in), in.type(), (check_rank + 1) % check_size, 1,
                            (check_rank + check_size - 1) % check_size, 1, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
  } else {
    MPI_Request request;
    OK(MPI_Ibcast(in.address(), n(in), in.type(), at.root, MPI_COMM_WORLD, &request));
    finish(request);
  }
}

/// Not significant but at the root: it gets any other address.
template <class Side>
auto at_root(Side side, const Round& at, Access access) {
  if constexpr (std::is_same_v<Side, SectionSide>) {
    return ChoiceBuffer(side.array.descriptor(),
                        check_rank == at.root ? side.array.base() : nullptr, at.count, at.type.type,
                        Blocks{kMembers, access});
  } else {
    return side.blocks(at.count, at.type.type, kMembers, access);
  }
}

void gather(auto s, auto r, const Round& at, int how) {
  auto out = s.one(at.count, at.type.type);
  auto in = at_root(r, at, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Gather(out.address(), n(out), out.type(), in.address(), n(in), in.type(), at.root,
                  MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Igather(out.address(), n(out), out.type(), in.address(), n(in), in.type(), at.root,
                   MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Gather_init(out.address(), n(out), out.type(), in.address(), n(in), in.type(), at.root,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

void scatter(auto s, auto r, const Round& at, int how) {
  auto out = at_root(s, at, Access::read);
  auto in = r.one(at.count, at.type.type);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Scatter(out.address(), n(out), out.type(), in.address(), n(in), in.type(), at.root,
                   MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Iscatter(out.address(), n(out), out.type(), in.address(), n(in), in.type(), at.root,
                    MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Scatter_init(out.address(), n(out), out.type(), in.address(), n(in), in.type(), at.root,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

void alltoall(auto s, auto r, const Round& at, int how) {
  auto out = s.blocks(at.count, at.type.type, kMembers, Access::read);
  auto in = r.blocks(at.count, at.type.type, kMembers, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Alltoall(out.address(), n(out), out.type(), in.address(), n(in), in.type(),
                    MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Ialltoall(out.address(), n(out), out.type(), in.address(), n(in), in.type(),
                     MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Alltoall_init(out.address(), n(out), out.type(), in.address(), n(in), in.type(),
                         MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

void allgather_in_place(auto, auto r, const Round& at, int how) {
  auto in = r.blocks(at.count, at.type.type, kMembers, Access::write);
  CHECK(in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, in.address(), n(in), in.type(), MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_BYTE, in.address(), n(in), in.type(), MPI_COMM_WORLD,
                      &request));
  } else {
    OK(MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_BYTE, in.address(), n(in), in.type(), MPI_COMM_WORLD,
                          MPI_INFO_NULL, &request));
  }
  complete(how, request, in);
}

void allgatherv(auto s, auto r, const Round& at, int how) {
  const int* const counts = at.counts.data();
  const int* const displs = at.displs.data();
  auto out = s.one(counts[check_rank], at.type.type);
  auto in = r.varying(counts, displs, at.type.type, kMembers, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Allgatherv(out.address(), n(out), out.type(), in.address(), counts, displs, in.type(),
                      MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Iallgatherv(out.address(), n(out), out.type(), in.address(), counts, displs, in.type(),
                       MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Allgatherv_init(out.address(), n(out), out.type(), in.address(), counts, displs,
                           in.type(), MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

/// Rank i sends counts[j] to rank j, so it gets counts[i] of each.
void alltoallv(auto s, auto r, const Round& at, int how) {
  const int* const counts = at.counts.data();
  const int* const displs = at.displs.data();
  const std::vector<int> same(kPeers, counts[check_rank]);
  const int* const places = at.places.data();
  auto out = s.varying(counts, displs, at.type.type, kMembers, Access::read);
  auto in = r.varying(same.data(), places, at.type.type, kMembers, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Alltoallv(out.address(), counts, displs, out.type(), in.address(), same.data(), places,
                     in.type(), MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Ialltoallv(out.address(), counts, displs, out.type(), in.address(), same.data(), places,
                      in.type(), MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Alltoallv_init(out.address(), counts, displs, out.type(), in.address(), same.data(),
                          places, in.type(), MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

void alltoallw(auto s, auto r, const Round& at, int how) {
  const int* const counts = at.counts.data();
  const std::vector<int> same(kPeers, counts[check_rank]);
  std::vector<int> bytes;
  std::vector<int> in_bytes;
  for (const int each : at.displs) bytes.push_back(each * static_cast<int>(at.type.extent));
  for (const int each : at.places) in_bytes.push_back(each * static_cast<int>(at.type.extent));
  const std::vector<MPI_Datatype> what(kPeers, at.type.type);
  auto out = s.varying_types(counts, bytes.data(), what.data(), kMembers, Access::read);
  auto in = r.varying_types(same.data(), in_bytes.data(), what.data(), kMembers, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Alltoallw(out.address(), counts, bytes.data(), what.data(), in.address(), same.data(),
                     in_bytes.data(), what.data(), MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Ialltoallw(out.address(), counts, bytes.data(), what.data(), in.address(), same.data(),
                      in_bytes.data(), what.data(), MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Alltoallw_init(out.address(), counts, bytes.data(), what.data(), in.address(),
                          same.data(), in_bytes.data(), what.data(), MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request));
  }
  complete(how, request, out, in);
}

/// In the graph a rank has three sources and two destinations, some of them the same.
void neighbors(auto s, auto r, const Round& at, int how) {
  const Peers to{at.graph, Peers::Kind::destinations};
  const Peers from{at.graph, Peers::Kind::sources};
  const std::vector<int> same(kPeers, at.count);
  std::vector<MPI_Aint> bytes;
  for (const int each : at.places) bytes.push_back(each * at.type.extent);
  const std::vector<MPI_Datatype> what(kPeers, at.type.type);
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    auto out = s.blocks(at.count, at.type.type, to, Access::read);
    auto in = r.blocks(at.count, at.type.type, from, Access::write);
    CHECK(out.ok() && in.ok());
    OK(MPI_Neighbor_alltoall(out.address(), n(out), out.type(), in.address(), n(in), in.type(),
                             at.graph));
  } else if (how == 1) {
    auto out = s.varying(same.data(), at.places.data(), at.type.type, to, Access::read);
    auto in = r.varying(same.data(), at.places.data(), at.type.type, from, Access::write);
    CHECK(out.ok() && in.ok());
    OK(MPI_Ineighbor_alltoallv(out.address(), same.data(), at.places.data(), out.type(),
                               in.address(), same.data(), at.places.data(), in.type(), at.graph,
                               &request));
    complete(how, request, out, in);
  } else {
    auto out = s.varying_types(same.data(), bytes.data(), what.data(), to, Access::read);
    auto in = r.varying_types(same.data(), bytes.data(), what.data(), from, Access::write);
    CHECK(out.ok() && in.ok());
    OK(MPI_Neighbor_alltoallw_init(out.address(), same.data(), bytes.data(), what.data(),
                                   in.address(), same.data(), bytes.data(), what.data(), at.graph,
                                   MPI_INFO_NULL, &request));
    complete(how, request, out, in);
  }
}

// Reductions.

void allreduce(auto s, auto r, const Round& at, int how) {
  auto out = s.reduced(at.count, at.type.type, Access::read);
  auto in = r.reduced(at.count, at.type.type, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Allreduce(out.address(), in.address(), n(in), in.type(), MPI_BXOR, MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Iallreduce(out.address(), in.address(), n(in), in.type(), MPI_BXOR, MPI_COMM_WORLD,
                      &request));
  } else {
    OK(MPI_Allreduce_init(out.address(), in.address(), n(in), in.type(), MPI_BXOR, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

void scan_in_place(auto s, auto r, const Round& at, int how) {
  auto in = r.reduced(at.count, at.type.type, Access::write);
  CHECK(in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Scan(MPI_IN_PLACE, in.address(), n(in), in.type(), MPI_BXOR, MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Iscan(MPI_IN_PLACE, in.address(), n(in), in.type(), MPI_BXOR, MPI_COMM_WORLD, &request));
    complete(how, request, in);
  } else {
    auto out = s.reduced(at.count, at.type.type, Access::read);
    OK(MPI_Reduce_local(out.address(), in.address(), n(in), in.type(), MPI_BXOR));
  }
}

void reduce_scatter_block(auto s, auto r, const Round& at, int how) {
  auto out = s.reduced_blocks(at.count, at.type.type, Access::read);
  auto in = r.reduced(at.count, at.type.type, Access::write);
  CHECK(out.ok() && in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Reduce_scatter_block(out.address(), in.address(), n(in), in.type(), MPI_BXOR,
                                MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Ireduce_scatter_block(out.address(), in.address(), n(in), in.type(), MPI_BXOR,
                                 MPI_COMM_WORLD, &request));
  } else {
    OK(MPI_Reduce_scatter_block_init(out.address(), in.address(), n(in), in.type(), MPI_BXOR,
                                     MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, out, in);
}

void reduce_scatter(auto, auto r, const Round& at, int how) {
  const int* const counts = at.counts.data();
  auto in = r.reduced_varying(counts, at.type.type, Access::write);
  CHECK(in.ok());
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0) {
    OK(MPI_Reduce_scatter(MPI_IN_PLACE, in.address(), counts, in.type(), MPI_BXOR, MPI_COMM_WORLD));
  } else if (how == 1) {
    OK(MPI_Ireduce_scatter(MPI_IN_PLACE, in.address(), counts, in.type(), MPI_BXOR, MPI_COMM_WORLD,
                           &request));
  } else {
    OK(MPI_Reduce_scatter_init(MPI_IN_PLACE, in.address(), counts, in.type(), MPI_BXOR,
                               MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  }
  complete(how, request, in);
}

// The rest.

void pack(auto s, auto r, const Round& at, int how) {
  int size = 0;
  MPI_Pack_size(at.count, at.type.type, MPI_COMM_WORLD, &size);
  auto data = s.one(at.count, at.type.type);
  CHECK(data.ok());
  std::vector<char> packed(static_cast<std::size_t>(size));
  int position = 0;
  OK(MPI_Pack(data.address(), n(data), data.type(), packed.data(), size, &position,
              MPI_COMM_WORLD));
  if (how == 0) {  // packed data in a section
    auto out = r.packed(size, Access::write);
    CHECK(out.ok());
    position = 0;
    OK(MPI_Pack(data.address(), n(data), data.type(), out.address(), n(out), &position,
                MPI_COMM_WORLD));
    return;
  }
  auto in = r.one(at.count, at.type.type);
  CHECK(in.ok());
  size = position;
  position = 0;
  OK(MPI_Unpack(packed.data(), size, &position, in.address(), n(in), in.type(), MPI_COMM_WORLD));
}

int partitioned_refused;
int partitioned_done;

void partitioned(auto s, auto r, const Round& at, int /*how*/) {
  constexpr int kPartitions = 3;
  auto out = s.partitions(kPartitions, at.count, at.type.type);
  auto in = r.partitions(kPartitions, at.count, at.type.type);
  int ok = out.ok() && in.ok() ? 1 : 0;  // not every section has equal partitions
  MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  ++(ok == 0 ? partitioned_refused : partitioned_done);
  if (ok == 0) return;
  MPI_Request both[2];
  OK(MPI_Precv_init(in.address(), kPartitions, in.count(), in.type(),
                    (check_rank + check_size - 1) % check_size, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &both[0]));
  OK(MPI_Psend_init(out.address(), kPartitions, out.count(), out.type(),
                    (check_rank + 1) % check_size, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]));
  OK(MPI_Startall(2, both));
  for (int i = 0; i < kPartitions; ++i) OK(MPI_Pready(i, both[1]));
  OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
  for (MPI_Request& each : both) OK(MPI_Request_free(&each));
}

void one_sided(auto s, auto r, const Round& at, int how) {
  auto out = s.one(at.count, at.type.type);
  auto in = r.one(at.count, at.type.type);
  CHECK(out.ok() && in.ok());
  std::vector<std::byte> memory(static_cast<std::size_t>(at.count * at.type.extent + 64));
  MPI_Win win;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL,
                 MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  const int right = (check_rank + 1) % check_size;
  if (how == 0 || !at.type.predefined || at.type.extent == 1) {
    OK(MPI_Put(out.address(), n(out), out.type(), right, 0, at.count, at.type.type, win));
  } else {
    OK(MPI_Accumulate(out.address(), n(out), out.type(), right, 0, at.count, at.type.type, MPI_SUM,
                      win));
  }
  MPI_Win_fence(0, win);
  OK(MPI_Get(in.address(), n(in), in.type(), right, 0, at.count, at.type.type, win));
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

/// Runs a family on copies and then on the sections, and compares.
struct Family {
  const char* name;
  bool reduces;
  std::function<void(PlainSide, PlainSide, const Round&, int)> plain;
  std::function<void(SectionSide, SectionSide, const Round&, int)> sections;
};
#define FAMILY(name, reduces)                                                    \
  Family {                                                                       \
#name, reduces, [](auto... a) { name(a...); }, [](auto... a) { name(a...); } \
  }
const std::vector<Family> families = {
    FAMILY(point_to_point, false), FAMILY(replace, false),
    FAMILY(gather, false),         FAMILY(scatter, false),
    FAMILY(alltoall, false),       FAMILY(allgather_in_place, false),
    FAMILY(allgatherv, false),     FAMILY(alltoallv, false),
    FAMILY(alltoallw, false),      FAMILY(neighbors, false),
    FAMILY(allreduce, true),       FAMILY(scan_in_place, true),
    FAMILY(reduce_scatter, true),  FAMILY(reduce_scatter_block, true),
    FAMILY(pack, false),           FAMILY(partitioned, false),
    FAMILY(one_sided, false)};

using Random = std::mt19937_64;
int draw(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

std::unique_ptr<ArraySection> make_section(const Kind& kind, const Type& type, std::ptrdiff_t bytes,
                                           Random& mine) {
  // A predefined type must fit into the elements; of others, their parts.
  const std::ptrdiff_t length =
      kind.wrong_length ? type.extent
                        : type.unit * (type.unit == 1 ? draw(mine, 1, 9) : draw(mine, 1, 3));
  const std::ptrdiff_t elements = (bytes + length - 1) / length;
  auto made = std::make_unique<ArraySection>(
      kind.name, !kind.wrong_length && draw(mine, 0, 1) == 1, static_cast<std::size_t>(length),
      kind.make(length, elements, draw(mine, 2, 5)), kind.wrong_length);
  for (std::byte& each : made->memory()) each = static_cast<std::byte>(mine());
  return made;
}

void one_round(const Family& family, const Round& at, int how, ArraySection& out,
               ArraySection& in) {
  const std::vector<std::byte> out_before = out.memory();
  const std::vector<std::byte> in_before = in.memory();
  std::vector<std::byte> out_row = out.row();
  std::vector<std::byte> in_row = in.row();
  family.plain({out_row.data()}, {in_row.data()}, at, how);
  in.set_row(in_row);
  const std::vector<std::byte> expected = in.memory();
  in.memory() = in_before;
  const int before = check_failures;
  const int refused = partitioned_refused;
  family.sections({out}, {in}, at, how);
  CHECK(out.memory() == out_before);
  CHECK(in.memory() == (partitioned_refused == refused ? expected : in_before));
  CHECK(!remit::fortran::any_kept());
  if (check_failures != before) {
    fprintf(stderr, "rank %d: %s (%d), %s to %s, %d elements of %ld bytes%s\n", check_rank,
            family.name, how, out.name().c_str(), in.name().c_str(), at.count,
            static_cast<long>(at.type.extent), at.type.predefined ? "" : ", not predefined");
  }
}

/// Each family with each kind to send and to receive, and each two kinds together.
void all_rounds(std::uint64_t seed, int rounds) {
  MPI_Comm graph;
  const int left = (check_rank + check_size - 1) % check_size;
  const int right = (check_rank + 1) % check_size;
  const int sources[] = {left, check_rank, left};
  const int destinations[] = {right, check_rank, right};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  Random all(seed);
  Random mine(seed + 1 + static_cast<std::uint64_t>(check_rank));
  const std::size_t size = kinds.size();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t f = 0; f < families.size(); ++f) {
      for (std::size_t k = 0; k < size; ++k) {
        Round at{};
        at.type = types[static_cast<std::size_t>(draw(all, 0, families[f].reduces ? 2 : 5))];
        at.count = draw(all, 1, 13);
        at.root = draw(all, 0, check_size - 1);
        for (int i = 0; i < kPeers; ++i) {
          at.counts.push_back(draw(all, 0, at.count));
          at.places.push_back(i * at.count);
          at.displs.push_back(i * at.count + draw(all, 0, at.count - at.counts.back()));
        }
        at.graph = graph;
        // A reduction of bytes is none of characters.
        if (families[f].reduces && at.type.unit == 1) at.type.type = MPI_BYTE;
        int how = draw(all, 0, 2);
        const std::ptrdiff_t bytes = kPeers * at.count * at.type.extent;
        // Partitioned calls need the same kinds on all ranks, for what one refuses, none can do.
        const bool alike = families[f].name == std::string("partitioned");
        const auto rank = static_cast<std::size_t>(alike ? 0 : check_rank);
        const auto out = make_section(kinds[(k + rank) % size], at.type, bytes, mine);
        const auto in = make_section(kinds[(k + f + 3 * rank) % size], at.type, bytes + 16, mine);
        // Nobody knows how many bytes an element of class(*) has for packed data.
        if (families[f].name == std::string("pack") && in->descriptor().length_is_wrong()) how = 1;
        one_round(families[f], at, how, *out, *in);
      }
    }
  }
  MPI_Comm_free(&graph);
  CHECK(partitioned_refused > 0);
  CHECK(partitioned_done > rounds * static_cast<int>(size));  // as many are of the copies
}

/// What cannot be: in words, with the class, through the communicator's error handler.
void errors() {
  const auto expect = [](const ChoiceBuffer& buffer, int error_class, const char* word) {
    CHECK(!buffer.ok());
    if (buffer.ok()) return;
    const int code = buffer.raise(remit::fortran::Subject(MPI_COMM_SELF), "MPI_Isend", "buf");
    EXPECT(error_class, word, code);
    EXPECT(error_class, "MPI_Isend: argument buf: ", code);
  };
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  ArraySection row("row", false, 8, {{10, 24}}, false);
  const auto& d = row.descriptor();
  expect({d, row.base(), 11, MPI_INTEGER8}, MPI_ERR_COUNT, "which has 80 bytes");
  expect({d, row.base(), 2, MPI_DOUBLE_COMPLEX}, MPI_ERR_TYPE, "across a gap");
  expect({d, row.base(), 0, MPI_BYTE, Memory{}}, MPI_ERR_BUFFER, "not contiguous");
  expect({d, row.base(), 4, MPI_INTEGER8, Partitions{3}}, MPI_ERR_COUNT, "3 blocks");
  ArraySection columns("columns", true, 4, {{5, 4}, {4, 32}}, false);
  expect({columns.descriptor(), columns.base(), 4, MPI_INTEGER, Partitions{4}}, MPI_ERR_BUFFER,
         "equal distances");
  const int counts[] = {30};
  const int displs[] = {4};
  const VaryingBlocks blocks{counts, displs, nullptr, Peers{MPI_COMM_SELF}, Access::write};
  expect({d, row.base(), 0, MPI_INTEGER8, blocks}, MPI_ERR_COUNT, "block 1: 30 elements");
}

}  // namespace

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  if (check_size > kPeers) MPI_Abort(MPI_COMM_WORLD, 2);
  make_types();
  const std::uint64_t seed = check_seed("fortran_sections");
  all_rounds(seed, argc > 1 ? std::atoi(argv[1]) : 3);
  errors();
  for (Type& each : types) {
    if (!each.predefined) MPI_Type_free(&each.type);
  }
  return check_end("fortran_sections");
}
