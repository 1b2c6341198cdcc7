// Keyboard and screen readers: blocks and tables that scroll can be focused, and the theme's bar has roles.
for (const region of document.querySelectorAll(".content pre > code, .content table")) {
    region.tabIndex = 0;
}
document.getElementById("mdbook-sidebar-toggle")?.setAttribute("role", "button");
document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
