# The product for production: PostgreSQL and both chains come from outside (see compose.yaml and docs/operating.md).
FROM node:20-bookworm-slim AS build
WORKDIR /opt/tocsin
COPY . .
RUN npm install --no-audit --no-fund && npm run build

FROM node:20-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/tocsin
WORKDIR /opt/tocsin
COPY --from=build /opt/tocsin /opt/tocsin
RUN mkdir -p /var/lib/tocsin && chown node:node /var/lib/tocsin
USER node
VOLUME /var/lib/tocsin
EXPOSE 3000
# /healthz touches nothing: a database that is away must not get the server killed.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "apps/server/dist/main.js"]
