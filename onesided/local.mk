# One-sided communication: windows, their operations and their synchronization.
noinst_LTLIBRARIES += libonesided.la
onesided_sources = \
	onesided/accumulate.cpp onesided/accumulate.hpp \
	onesided/active_target.cpp onesided/active_target.hpp \
	onesided/adapter_access.hpp \
	onesided/adapter_changes.cpp onesided/adapter_changes.hpp \
	onesided/adapter_locks.cpp onesided/adapter_locks.hpp \
	onesided/adapter_memory.cpp onesided/adapter_memory.hpp \
	onesided/adapter_peers.cpp onesided/adapter_peers.hpp \
	onesided/adapter_port.cpp onesided/adapter_port.hpp \
	onesided/adapter_words.hpp \
	onesided/buffered_moves.cpp onesided/buffered_moves.hpp \
	onesided/control.hpp \
	onesided/copy_pieces.cpp onesided/copy_pieces.hpp \
	onesided/delegate.cpp onesided/delegate.hpp \
	onesided/delegation.cpp onesided/delegation.hpp \
	onesided/delegation_slot.cpp onesided/delegation_slot.hpp \
	onesided/direct_moves.cpp onesided/direct_moves.hpp \
	onesided/element_code.cpp onesided/element_code.hpp \
	onesided/element_walk.cpp onesided/element_walk.hpp \
	onesided/end_watch.cpp onesided/end_watch.hpp \
	onesided/epochs.cpp onesided/epochs.hpp \
	onesided/exposed_memory.cpp onesided/exposed_memory.hpp \
	onesided/fetches.cpp onesided/fetches.hpp \
	onesided/granule.cpp onesided/granule.hpp \
	onesided/handover.cpp onesided/handover.hpp \
	onesided/held_locks.cpp onesided/held_locks.hpp \
	onesided/host_segment.hpp \
	onesided/host_sync.cpp onesided/host_sync.hpp \
	onesided/host_wait.hpp \
	onesided/lock_queue.hpp \
	onesided/lock_watch.cpp onesided/lock_watch.hpp \
	onesided/member_memory.hpp \
	onesided/members.cpp onesided/members.hpp \
	onesided/notified_access.cpp onesided/notified_access.hpp \
	onesided/notify.cpp onesided/notify.hpp \
	onesided/notify_counters.hpp \
	onesided/notify_waits.cpp onesided/notify_waits.hpp \
	onesided/one_sided.cpp onesided/one_sided.hpp \
	onesided/passive_target.cpp onesided/passive_target.hpp \
	onesided/plain_change.cpp onesided/plain_change.hpp \
	onesided/process_memory.cpp onesided/process_memory.hpp \
	onesided/regions.cpp onesided/regions.hpp \
	onesided/remote_access.cpp onesided/remote_access.hpp \
	onesided/remote_targets.cpp onesided/remote_targets.hpp \
	onesided/runs.cpp onesided/runs.hpp \
	onesided/scratch.hpp \
	onesided/segment_making.cpp onesided/segment_making.hpp \
	onesided/served_window.cpp onesided/served_window.hpp \
	onesided/short_ways.hpp \
	onesided/signal.cpp onesided/signal.hpp \
	onesided/target_locks.cpp onesided/target_locks.hpp \
	onesided/ticket_lock.hpp \
	onesided/traffic.cpp onesided/traffic.hpp \
	onesided/unmapped_access.cpp onesided/unmapped_access.hpp \
	onesided/window.cpp onesided/window.hpp \
	onesided/window_core.cpp onesided/window_core.hpp \
	onesided/window_making.cpp onesided/window_making.hpp \
	onesided/window_operations.cpp onesided/window_operations.hpp \
	onesided/window_report.cpp onesided/window_report.hpp \
	onesided/window_spec.hpp \
	onesided/window_waits.cpp onesided/window_waits.hpp \
	onesided/wire.hpp
onesided_groups = together/onesided-1.cpp together/onesided-2.cpp
if TOGETHER
together += $(onesided_groups)
nodist_libonesided_la_SOURCES = $(onesided_groups)
else
libonesided_la_SOURCES = $(onesided_sources)
endif
libonesided_la_LIBADD = libcommunicators.la
