# Sphinx's settings for the site of this tree's documents. site/build.py copies the documents and
# runs Sphinx.
project = "boxscore"
html_title = "boxscore"
copyright = "the authors of boxscore. MIT licence"
extensions = ["myst_parser"]
root_doc = "index"
nitpicky = True

# Headings get the same anchors as on GitHub, so that links to them work on both.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

# Options such as --event stay as they are typed.
smartquotes = False
highlight_language = "text"

html_theme = "basic"  # structure only: static/site.css has the whole design
html_sidebars = {"**": ["contents.html"]}
html_use_index = False
templates_path = ["templates"]
pygments_style = "default"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# Excerpts of search results would be fetched from the pages, which browsers refuse for local files.
html_show_search_summary = False
