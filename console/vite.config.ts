import { defineConfig } from 'vite';

/** Where `npm run console:dev` finds a running service. */
const SERVICE = process.env['SLUICE_SERVICE'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: 'dist',
    target: 'es2023',
    sourcemap: false,
    manifest: true,
    assetsInlineLimit: 0, // a data: address would need a wider Content-Security-Policy
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { moduleLevelDirective: false }, // "use client" in hundreds of files, which means nothing here
      output: {
        codeSplitting: {
          // What changes only with a new version of a package stays in the browser's cache.
          groups: [
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|react-router|scheduler|@tanstack[\\/](react-query|query-core))[\\/]/,
            },
          ],
        },
      },
    },
  },
  server: {
    watch: { ignored: ['**/dist/**', '**/.staging-*/**'] },
    proxy: {
      // The Host stays the dev server's, as the browser's Origin is: the service refuses where they differ.
      '^/(admin|api|docs|healthz|readyz)': { target: SERVICE, changeOrigin: false },
    },
  },
});
