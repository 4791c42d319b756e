# One-sided communication: windows, their operations and their synchronization.
noinst_LTLIBRARIES += libonesided.la
onesided_sources = \
	onesided/adapter/adapter_access.hpp \
	onesided/adapter/adapter_changes.cpp onesided/adapter/adapter_changes.hpp \
	onesided/adapter/adapter_locks.cpp onesided/adapter/adapter_locks.hpp \
	onesided/adapter/adapter_memory.cpp onesided/adapter/adapter_memory.hpp \
	onesided/adapter/adapter_peers.cpp onesided/adapter/adapter_peers.hpp \
	onesided/adapter/adapter_port.cpp onesided/adapter/adapter_port.hpp \
	onesided/adapter/adapter_words.hpp \
	onesided/adapter/buffered_moves.cpp onesided/adapter/buffered_moves.hpp \
	onesided/adapter/direct_moves.cpp onesided/adapter/direct_moves.hpp \
	onesided/adapter/put_notice.hpp \
	onesided/elements/accumulate.cpp onesided/elements/accumulate.hpp \
	onesided/elements/copy_pieces.cpp onesided/elements/copy_pieces.hpp \
	onesided/elements/element_code.cpp onesided/elements/element_code.hpp \
	onesided/elements/element_walk.cpp onesided/elements/element_walk.hpp \
	onesided/elements/plain_change.cpp onesided/elements/plain_change.hpp \
	onesided/elements/runs.cpp onesided/elements/runs.hpp \
	onesided/exposed_memory.cpp onesided/exposed_memory.hpp \
	onesided/handover/delegate.cpp onesided/handover/delegate.hpp \
	onesided/handover/delegation.cpp onesided/handover/delegation.hpp \
	onesided/handover/delegation_slot.cpp onesided/handover/delegation_slot.hpp \
	onesided/handover/handover.cpp onesided/handover/handover.hpp \
	onesided/handover/unmapped_access.cpp onesided/handover/unmapped_access.hpp \
	onesided/memory/control.hpp \
	onesided/memory/granule.cpp onesided/memory/granule.hpp \
	onesided/memory/host_segment.hpp \
	onesided/memory/member_memory.hpp \
	onesided/memory/members.cpp onesided/memory/members.hpp \
	onesided/memory/process_memory.cpp onesided/memory/process_memory.hpp \
	onesided/memory/regions.cpp onesided/memory/regions.hpp \
	onesided/memory/scratch.hpp \
	onesided/memory/segment_making.cpp onesided/memory/segment_making.hpp \
	onesided/notified/notified_access.cpp onesided/notified/notified_access.hpp \
	onesided/notified/notify.cpp onesided/notified/notify.hpp \
	onesided/notified/notify_counters.hpp \
	onesided/notified/notify_waits.cpp onesided/notified/notify_waits.hpp \
	onesided/notified/signal.cpp onesided/notified/signal.hpp \
	onesided/one_sided.cpp onesided/one_sided.hpp \
	onesided/remote/fetches.cpp onesided/remote/fetches.hpp \
	onesided/remote/remote_access.cpp onesided/remote/remote_access.hpp \
	onesided/remote/remote_targets.cpp onesided/remote/remote_targets.hpp \
	onesided/remote/served_window.cpp onesided/remote/served_window.hpp \
	onesided/remote/traffic.cpp onesided/remote/traffic.hpp \
	onesided/remote/wire.hpp \
	onesided/short_ways.hpp \
	onesided/synchronization/active_target.cpp onesided/synchronization/active_target.hpp \
	onesided/synchronization/end_watch.cpp onesided/synchronization/end_watch.hpp \
	onesided/synchronization/epochs.cpp onesided/synchronization/epochs.hpp \
	onesided/synchronization/held_locks.cpp onesided/synchronization/held_locks.hpp \
	onesided/synchronization/host_sync.cpp onesided/synchronization/host_sync.hpp \
	onesided/synchronization/host_wait.hpp \
	onesided/synchronization/lock_queue.hpp \
	onesided/synchronization/lock_watch.cpp onesided/synchronization/lock_watch.hpp \
	onesided/synchronization/passive_target.cpp onesided/synchronization/passive_target.hpp \
	onesided/synchronization/target_locks.cpp onesided/synchronization/target_locks.hpp \
	onesided/synchronization/ticket_lock.hpp \
	onesided/synchronization/window_waits.cpp onesided/synchronization/window_waits.hpp \
	onesided/tally.hpp \
	onesided/window.cpp onesided/window.hpp \
	onesided/window_core.cpp onesided/window_core.hpp \
	onesided/window_making.cpp onesided/window_making.hpp \
	onesided/window_operations.cpp onesided/window_operations.hpp \
	onesided/window_report.cpp onesided/window_report.hpp \
	onesided/window_spec.hpp
onesided_groups = together/onesided-1.cpp together/onesided-2.cpp
if TOGETHER
together += $(onesided_groups)
nodist_libonesided_la_SOURCES = $(onesided_groups)
else
libonesided_la_SOURCES = $(onesided_sources)
endif
libonesided_la_LIBADD = libcommunicators.la
