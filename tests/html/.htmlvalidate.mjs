// The rules for every page: all that html-validate recommends, and those for whole documents.
// Each exception says why.
export default {
  root: true,
  extends: ["html-validate:recommended", "html-validate:document"],
  // In the standard it is flow content, no sectioning content: a header cell may explain itself.
  elements: ["html5", { details: { inherit: "details", sectioning: false } }],
  rules: {
    // The standard takes either case; ours is lowercase, like the rest of the page.
    "doctype-style": ["error", { style: "lowercase" }],
    // Checksums guard files from elsewhere. Ours come from our own origin; the policy allows no other.
    "require-sri": ["error", { target: "crossorigin" }],
    // The standard's own defaults, submit and text, are what is meant wherever none is written.
    "no-implicit-button-type": "off",
    "no-implicit-input-type": "off",
    // The picker asks for a list: ?tools=a&tools=b, a field or a checkbox each.
    "form-dup-name": "off",
    // A condition in a template may leave a blank at the end of a line; readers never see it.
    "no-trailing-whitespace": "off",
    // A comparison's title holds two names as their makers write them.
    "long-title": "off",
  },
};
