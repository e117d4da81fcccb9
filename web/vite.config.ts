import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The pages go where the server serves them from; they are built, never committed.
export default defineConfig({
  plugins: [svelte()],
  base: "./",
  build: {
    outDir: "../src/privet/server/pages",
    emptyOutDir: true,
    target: "es2022",
    // A data: address inside a style sheet would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
});
