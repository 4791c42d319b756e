noinst_LTLIBRARIES += liblinks.la
links_sources = \
	links/address_blob.cpp links/address_blob.hpp \
	links/bytes.hpp \
	links/connector.cpp links/connector.hpp \
	links/device_memory.cpp links/device_memory.hpp \
	links/device_set.cpp links/device_set.hpp \
	links/link.hpp \
	links/link_user.hpp \
	links/link_users.cpp links/link_users.hpp \
	links/links.cpp links/links.hpp \
	links/lost_links.cpp links/lost_links.hpp \
	links/message_order.hpp \
	links/offered_memory.cpp links/offered_memory.hpp \
	links/passport.cpp links/passport.hpp \
	links/postponed.cpp links/postponed.hpp \
	links/process_directory.cpp links/process_directory.hpp \
	links/process_id.hpp \
	links/side_path.hpp
links_groups = together/links-1.cpp
if TOGETHER
together += $(links_groups)
nodist_liblinks_la_SOURCES = $(links_groups)
else
liblinks_la_SOURCES = $(links_sources)
endif
liblinks_la_LIBADD = libdatatype.la
