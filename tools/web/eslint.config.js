/** What is a mistake, or looks like one. How code is laid out is no business of this file. */

import js from "@eslint/js";
import globals from "globals";

const RULES = {
  eqeqeq: "error",
  "no-implicit-globals": "error",
  "no-shadow": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
};

export default [
  { ignores: ["**/vendor/**", "**/node_modules/**", "**/*.d.ts"] },
  js.configs.recommended,
  { files: ["**/*.js", "**/*.mjs"], rules: RULES, linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: ["server/palio_server/web/**"], languageOptions: { globals: globals.browser } },
  { files: ["tests/web/**", "tools/web/**"], languageOptions: { globals: globals.node } },
];
