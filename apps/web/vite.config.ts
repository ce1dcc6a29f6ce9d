import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin, runnerImport } from 'vite'
import { codeSplitting } from './chunks.ts'

const firstPaintFonts = /(instrument-sans|martian-mono)-core-.*\.woff2$/

/**
 * Preloads the two fonts of the first paint. Their file names contain a hash, so they are read from
 * the bundle.
 */
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

const jsonSchemaOfZod = /zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/

/** Removes zod's JSON Schema export (7 kB) from the bundle. Only the server uses it. */
function withoutJsonSchema(): Plugin {
  return {
    name: 'without-json-schema',
    apply: 'build',
    transform(code, id) {
      if (!jsonSchemaOfZod.test(id)) return null
      const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name)
      const refuse = 'const refuse = () => () => { throw new Error("No JSON Schema in the browser") }'
      return { code: `${refuse}\nexport { ${names.map((name) => `refuse as ${name}`).join(', ')} }`, map: null }
    },
  }
}

/**
 * Evaluates the tables of API calls during the build. The browser gets only methods and paths, not
 * the schemas of the endpoints.
 */
function evaluateCallTables(): Plugin {
  return {
    name: 'evaluate-call-tables',
    apply: 'build',
    load: {
      filter: { id: /\/src\/api\/(?:eager|lazy)-calls\.ts$/ },
      async handler(id) {
        const { module } = await runnerImport<Record<string, unknown>>(id, { configFile: false, logLevel: 'error' })
        return Object.entries(module)
          .map(([name, table]) => `export const ${name} = ${JSON.stringify(table)}`)
          .join('\n')
      },
    },
  }
}

const SCHEMAS = 'tocsinSchemas'

/**
 * Renames `z` of zod in our sources, so that the build can treat calls of zod as pure. Calls of the
 * name `z` cannot be treated as pure, because minified libraries use this name for other functions.
 */
function nameSchemas(): Plugin {
  return {
    name: 'name-schemas',
    enforce: 'pre',
    apply: 'build',
    transform: {
      filter: { id: /\/(?:packages\/\w+|apps\/web)\/src\/.*\.tsx?$/, code: "import { z } from 'zod'" },
      handler: (code) => ({
        code: code
          // Uses of `z` other than calls keep the name `z`.
          .replace("import { z } from 'zod'", `import { z as ${SCHEMAS} } from 'zod'\nconst z = ${SCHEMAS}`)
          .replace(/(?<![\w.$'"`])z(?=\s*\.\s*\w)/g, SCHEMAS),
        map: null,
      }),
    },
  }
}

/**
 * The embed is built separately (mode `embed`). In one build with the pages, its few modules would
 * change how all other modules are divided into files.
 */
export default defineConfig(({ isSsrBuild, mode }) => ({
  plugins: [react(), tailwindcss(), preloadFonts(), withoutJsonSchema(), nameSchemas(), evaluateCallTables()],
  build: {
    target: 'es2022',
    // The content security policy allows no data: fonts or styles, and no inline script for the
    // preload polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The manifest lists the imports of each script. The check of the bundle budget reads it.
    manifest: mode === 'embed' ? false : 'bundle.json',
    rolldownOptions: {
      // Treat schema calls as pure, so that unused schemas are removed. Otherwise they would add
      // zod to every page.
      treeshake: { manualPureFunctions: [SCHEMAS, 'createLineSchema', 'createVisibleTextSchema'] },
      input: mode === 'embed' ? ['embed.html'] : ['index.html', 'site.html'],
      output:
        isSsrBuild || mode === 'embed'
          ? {}
          : {
              strictExecutionOrder: true,
              codeSplitting,
              chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
            },
    },
  },
}))
