# A thin front of Meson: `make build` leaves the command at build/boxscore.

build/build.ninja:
	meson setup build -Dtests=disabled >/dev/null

.PHONY: build run test test-long bench validate pictures page-picture site install deb clean
build: build/build.ninja
	@ninja -C build --quiet

# A real, unmodified program counted on a virtual Core i7-6700K, each event exactly.
run: build
	@echo '$$ build/boxscore stat --machine virtual:skl -- sort -o /dev/null LICENSE'
	@./build/boxscore stat --machine virtual:skl -- sort -o /dev/null LICENSE
	@echo 'next: build/boxscore stat --machine virtual:skl -- PROGRAM   counts your program'
	@echo '      build/boxscore list cache misses                       finds what can be counted'
	@echo '      docs/tutorial/00-start.md                              begins with nothing'
	@echo '      docs/how-to/install.md                                 makes it a command'

test:
	@tools/test.sh quick

test-long:
	@tools/test.sh long

bench: build/build.ninja
	@meson configure build -Dtests=enabled
	@ninja -C build --quiet
	@bench/run.sh build

# docs/explanation/validation.md: virtual machines beside published figures of the parts they stand for.
validate: build/build.ninja
	@meson configure build -Dtests=enabled
	@ninja -C build --quiet
	@BOXSCORE=build/boxscore LOOPS=build/tests/validate/validate_loops PAGES=build/tests/validate/validate_pages \
	    python3 tests/validate/validate.py --kept build/validate.kept docs/explanation/validation.md

# The pictures of docs/tutorial, from runs of boxscore.
pictures: build
	@python3 tests/tutorial/pictures.py . build/boxscore

# The picture of README and of docs/reference: a report's page in Chromium (./setup kernel).
page-picture: build
	@python3 tests/cli/report_browser.py tests/cli/page_causes.c build/boxscore docs/tutorial/report-page.png

# The documents as a site, to be read from files: build-site/html/index.html. Needs ./setup site.
site: build
	@python3 site/build.py . build/boxscore build-site

install: build
	meson install -C build

# Debian packages, in build-deb/ (./setup deb).
deb:
	@tools/deb.sh build-deb

clean:
	rm -rf build build-sanitize build-fuzz build-kernel build-deb build-site
