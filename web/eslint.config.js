import svelte from "eslint-plugin-svelte";
import typescript from "typescript-eslint";

export default typescript.config(
  { ignores: ["node_modules", "dist", "src/api/schema.d.ts"] },
  ...typescript.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: typescript.parser } },
  },
  {
    rules: {
      // Addresses are fragments of one page: there is no router of a framework to resolve them.
      "svelte/no-navigation-without-resolve": "off",
      "svelte/no-at-html-tags": "error",
      "no-restricted-syntax": [
        "error",
        {
          selector: "SvelteAttribute[key.name='style']",
          message: "Inline styles need an exception in the Content-Security-Policy: use style:property.",
        },
      ],
    },
  },
);
