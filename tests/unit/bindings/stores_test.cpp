// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What bindings look up: plain types and operations, requests at rest, keys of attributes.
#include <gtest/gtest.h>

#include <array>

#include "bindings/comm/keyval_table.hpp"
#include "bindings/pt2pt/request_store.hpp"
#include "bindings/types/plain_types.hpp"

namespace remit {
namespace {

TEST(PlainTypes, KnowsEveryPredefinedTypeThatIsOneBlock) {
  const PlainTypes plain;
  int blocks = 0;
  for (std::uintptr_t handle = kFirstDatatype; handle < kFirstDatatype + kDatatypeSlots; ++handle) {
    const Datatype* type = predefined(handle);
    const bool one = type != nullptr && type->is_usable() && type->layout().is_contiguous();
    const auto expected = one ? static_cast<std::size_t>(type->size()) : 0;
    EXPECT_EQ(plain.bytes(1, reinterpret_cast<MPI_Datatype>(handle)), expected) << handle;
    blocks += one ? 1 : 0;
  }
  EXPECT_GT(blocks, 40);
  EXPECT_EQ(plain.bytes(3, MPI_DOUBLE), 8U);
  EXPECT_EQ(plain.bytes(3, MPI_DOUBLE_INT), 0U) << "it has a gap behind it";
}

TEST(PlainTypes, RefusesWhatIsOutOfTheOrdinary) {
  const PlainTypes plain;
  EXPECT_EQ(plain.bytes(-1, MPI_INT), 0U);
  EXPECT_EQ(plain.bytes(MPI_Count{1} << 32, MPI_INT), 0U);
  EXPECT_EQ(plain.bytes((MPI_Count{1} << 32) - 1, MPI_INT), 4U);
  EXPECT_EQ(plain.bytes(1, MPI_DATATYPE_NULL), 0U);
  const Ref<Datatype> derived = make_contiguous(2, predefined(MPI_INT)).value();
  EXPECT_EQ(plain.bytes(1, derived->handle()), 0U);
}

TEST(PlainTypes, FindsTheLoopOfAReductionAgainAndAgain) {
  PlainTypes plain;
  const ReductionKernel sum = plain.kernel(MPI_SUM, MPI_INT);
  ASSERT_NE(sum, nullptr);
  const int in[] = {1, 2};
  int inout[] = {10, 20};
  sum(reinterpret_cast<const std::byte*>(in), reinterpret_cast<std::byte*>(inout), 2);
  EXPECT_EQ(inout[0], 11);
  EXPECT_EQ(inout[1], 22);
  EXPECT_NE(plain.kernel(MPI_MAX, MPI_INT), sum);
  EXPECT_EQ(plain.kernel(MPI_SUM, MPI_INT), sum);
  EXPECT_EQ(plain.kernel(MPI_BAND, MPI_DOUBLE), nullptr) << "not defined";
  EXPECT_EQ(plain.kernel(MPI_LAND, MPI_LOGICAL), nullptr) << "another one at times";
}

TEST(PlainTypes, KeepsTheLoopsOfManyReductionsApart) {
  PlainTypes plain;
  const std::array ops = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR};
  const std::array types = {MPI_INT, MPI_INT64_T, MPI_DOUBLE, MPI_UINT8_T, MPI_LONG, MPI_FLOAT};
  for (int round = 0; round < 2; ++round) {
    for (MPI_Op op : ops) {
      for (MPI_Datatype type : types) {
        const Op& operation = *op_of(op);
        const Datatype& datatype = *predefined(reinterpret_cast<std::uintptr_t>(type));
        const ReductionKernel expected =
            check(operation, datatype) ? reduction_kernel(operation, datatype) : nullptr;
        EXPECT_EQ(plain.kernel(op, type), expected) << operation.name() << datatype.name();
      }
    }
  }
}

TEST(PlainTypes, KnowsWhatCanBeCompared) {
  const PlainTypes plain;
  EXPECT_EQ(plain.comparable_bytes(MPI_INT64_T), 8U);
  EXPECT_EQ(plain.comparable_bytes(MPI_INT), 4U);
  EXPECT_EQ(plain.comparable_bytes(MPI_BYTE), 1U);
  EXPECT_EQ(plain.comparable_bytes(MPI_AINT), sizeof(MPI_Aint));
  EXPECT_EQ(plain.comparable_bytes(MPI_DOUBLE), 0U);
  EXPECT_EQ(plain.comparable_bytes(MPI_2INT), 0U);
  EXPECT_EQ(plain.comparable_bytes(MPI_DATATYPE_NULL), 0U);
  const Ref<Datatype> derived = make_contiguous(2, predefined(MPI_INT)).value();
  EXPECT_EQ(plain.comparable_bytes(derived->handle()), 0U);
}

TEST(RequestStore, UsesTheSameMemoryAgain) {
  RequestStore store;
  RequestObject* first = store.make(RequestForm::send);
  RequestObject* second = store.make(RequestForm::receive);
  EXPECT_EQ(second->core.kind, RequestKind::receive);
  store.destroy(first);
  EXPECT_EQ(first->kind, ObjectKind::freed) << "a stale handle is known";
  store.destroy(second);
  EXPECT_EQ(store.make(RequestForm::send), second);
  RequestObject* again = store.make(RequestForm::send);
  EXPECT_EQ(again, first);
  EXPECT_EQ(again->kind, ObjectKind::request);
  store.destroy(second);
  store.destroy(again);
}

TEST(RequestStore, PlainRequestsRestAndKeepTheirNumbers) {
  RequestStore store;
  RequestObject* one = store.take_plain();
  RequestObject* other = store.take_plain();
  ASSERT_NE(one, nullptr);
  EXPECT_NE(one, other);
  EXPECT_TRUE(one->plain);
  EXPECT_EQ(one->core.kind, RequestKind::receive);
  store.give_back_plain(one);
  EXPECT_EQ(store.take_plain(), one);
  store.give_back_plain(one);
  store.give_back_plain(other);
  EXPECT_TRUE(store.sent().core.complete);
}

TEST(KeyvalTable, NoNumberIsUsedTwice) {
  KeyvalTable table;
  Keyval first, second, third;
  table.add(first);
  table.add(second);
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(table.find(first.id), &first);
  EXPECT_EQ(table.find(second.id), &second);
  EXPECT_EQ(table.find(MPI_KEYVAL_INVALID), nullptr);
  EXPECT_EQ(table.find(MPI_TAG_UB), nullptr) << "an attribute that communicators are born with";
  table.remove(second);
  EXPECT_EQ(table.find(second.id), nullptr);
  table.add(third);
  EXPECT_NE(third.id, second.id);
  EXPECT_EQ(table.find(first.id), &first);
}

}  // namespace
}  // namespace remit
