noinst_LTLIBRARIES += liblinks.la
links_sources = \
	links/address_blob.cpp links/address_blob.hpp \
	links/bytes.hpp \
	links/device_memory.cpp links/device_memory.hpp \
	links/link.hpp \
	links/link_user.hpp \
	links/links.cpp links/links.hpp \
	links/links_connect.cpp \
	links/links_foreign.cpp \
	links/passport.cpp links/passport.hpp \
	links/process_id.hpp
links_groups = together/links-1.cpp
if TOGETHER
together += $(links_groups)
nodist_liblinks_la_SOURCES = $(links_groups)
else
liblinks_la_SOURCES = $(links_sources)
endif
liblinks_la_LIBADD = libdatatype.la
