import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

const server = 'http://127.0.0.1:3000'
const firstPaintFonts = /(instrument-sans|martian-mono)-latin-standard-normal.*\.woff2$/

/** Preloads the two fonts of the first paint; their built names carry a hash, so only the finished bundle knows them. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const files = Object.keys(bundle ?? {}).filter((file) => firstPaintFonts.test(file))
        return files.map(
          (file): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: '' },
            injectTo: 'head',
          }),
        )
      },
    },
  }
}

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadFonts()],
  build: {
    target: 'es2022',
    // The content security policy allows no data: fonts or styles, and no inline script for the preload polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      '/api': server,
      '/ws': { target: server, ws: true },
      // Pages under /dev belong to this app; only what they ask for goes to the server.
      '/dev': {
        target: server,
        bypass: ({ headers }) => (headers.accept?.includes('text/html') ? '/index.html' : undefined),
      },
      '/healthz': server,
      '/openapi.json': server,
    },
  },
})
