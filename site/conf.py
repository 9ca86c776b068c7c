# Sphinx: the documents of this tree as a site. site/build.py lays them out and runs it.
project = "boxscore"
html_title = "boxscore"
copyright = "the authors of boxscore. MIT licence"
extensions = ["myst_parser"]
root_doc = "index"
nitpicky = True

# Anchors as GitHub makes them, so that links hold there, too.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

# Options such as --event stay as they are typed.
smartquotes = False
highlight_language = "text"

html_theme = "basic"  # structure only: all looks are in static/site.css
html_sidebars = {"**": ["contents.html"]}
html_use_index = False
templates_path = ["templates"]
pygments_style = "default"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# Excerpts are fetched from the pages, which a browser does not do for files.
html_show_search_summary = False
