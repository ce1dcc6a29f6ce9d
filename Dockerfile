# Production image of server and engine. PostgreSQL and both chains are external (compose.yaml,
# docs/operating.md). Does not contain the demo.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /opt/tocsin

# Only the package manifests and the lock file, so that `npm ci` stays cached until one of them
# changes.
FROM base AS manifests
COPY . /sources
RUN cd /sources && find . \( -name package.json -o -name package-lock.json \) -exec cp --parents -t /opt/tocsin {} +

FROM base AS build
COPY --from=manifests /opt/tocsin ./
RUN npm ci --no-audit --no-fund
COPY . .
# Timestamp of the SBOM, which otherwise has none. `npm run release` passes the commit's time.
ARG SOURCE_DATE_EPOCH
RUN npm run build && npm run -s sbom > sbom.cdx.json

# Production dependencies of server and engine. The demo's dependencies are in another workspace and
# are not installed.
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
# Checks that all imports resolve: `tocsin --help` works, and without settings, both programs exit
# with 78.
RUN ln -s /opt/tocsin/apps/server/dist/tocsin.js /usr/local/bin/tocsin \
  && tocsin --help > /dev/null \
  && { node apps/server/dist/main.js 2> /dev/null; test $? = 78; } \
  && { node apps/engine/dist/main.js 2> /dev/null; test $? = 78; } \
  # Docker copies the owner of these folders to new volumes.
  && install -d -o node -g node -m 700 /var/lib/tocsin /var/lib/tocsin-engine
USER node
EXPOSE 3000
# /healthz does not query the database, so that a database outage does not restart the server.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "apps/server/dist/main.js"]
