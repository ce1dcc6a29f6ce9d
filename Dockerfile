# The product for production: PostgreSQL and both chains come from outside (see compose.yaml and docs/operating.md). The demo is not in it.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /opt/tocsin

# What names dependencies, alone: as long as none of it changes, nothing is installed again.
FROM base AS manifests
COPY . /sources
RUN cd /sources && find . \( -name package.json -o -name package-lock.json \) -exec cp --parents -t /opt/tocsin {} +

FROM base AS build
COPY --from=manifests /opt/tocsin ./
RUN npm ci --no-audit --no-fund
COPY . .
# Time of the package list, which has none without it. `npm run release` sets that of the commit.
ARG SOURCE_DATE_EPOCH
RUN npm run build && npm run -s sbom > sbom.cdx.json

# The packages of the server and the engine. Those of the demo belong to another workspace, so they are not installed.
FROM base AS dependencies
COPY --from=manifests /opt/tocsin ./
# npm keeps TypeScript, because it is also an optional peer of viem.
RUN npm ci --omit=dev --workspace apps/server --workspace apps/engine --no-audit --no-fund \
  && rm -rf node_modules/@tocsin node_modules/typescript

FROM base
ENV NODE_ENV=production DEMO=false HOST=0.0.0.0 PORT=3000
COPY --from=dependencies /opt/tocsin/node_modules node_modules
COPY LICENSE package.json ./
COPY --from=build /opt/tocsin/sbom.cdx.json ./
COPY apps/server/package.json apps/server/
COPY apps/server/drizzle apps/server/drizzle
COPY --from=build /opt/tocsin/apps/server/dist apps/server/dist
COPY apps/engine/package.json apps/engine/
COPY --from=build /opt/tocsin/apps/engine/dist apps/engine/dist
COPY --from=build /opt/tocsin/apps/web/dist apps/web/dist
# All that it imports is here: without settings it gets as far as refusing them.
RUN ln -s /opt/tocsin/apps/server/dist/tocsin.js /usr/local/bin/tocsin \
  && tocsin --help > /dev/null \
  && { node apps/server/dist/main.js 2> /dev/null; test $? = 78; } \
  && { node apps/engine/dist/main.js 2> /dev/null; test $? = 78; } \
  # New volumes get the owner of these folders.
  && install -d -o node -g node -m 700 /var/lib/tocsin /var/lib/tocsin-engine
USER node
EXPOSE 3000
# /healthz touches nothing: a database that is away must not get the server killed.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "apps/server/dist/main.js"]
