# make image && docker run --rm --read-only --stop-timeout 45 -v plants:/data -p 3000:3000 -e API_TOKENS=secret plant-store

# The version is that of .nvmrc: `make image` passes it. The packages compile no native code, so the slim image is enough.
ARG NODE_VERSION
FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
# npm checks the lock file against the manifests of all workspaces.
COPY package.json package-lock.json .npmrc ./
COPY packages/database/package.json packages/database/
COPY packages/server/package.json packages/server/
COPY packages/prover/package.json packages/prover/
COPY packages/command/package.json packages/command/
COPY packages/command/bin packages/command/bin
RUN npm ci
COPY tsconfig.json ./
COPY packages/tsconfig.build.json packages/
COPY packages/database packages/database
COPY packages/server packages/server
COPY generated generated
COPY src src
RUN node node_modules/typescript-7/bin/tsc -b packages/server/tsconfig.build.json && node node_modules/typescript-7/bin/tsc -p src
# What the lock file has for the server alone. (`npm ci --omit=dev` also installs what is a dependency of another workspace.)
RUN npm pkg delete devDependencies \
  && npm pkg set "workspaces[0]=packages/database" "workspaces[1]=packages/server" \
  && npm install --omit=dev --no-audit --no-fund

FROM node:${NODE_VERSION}-bookworm-slim
# The user of the server owns nothing but the data folder.
RUN install --directory --owner=node --group=node /data
VOLUME /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
# node_modules/ has links to these.
COPY --from=build /app/packages/database/package.json packages/database/
COPY --from=build /app/packages/database/dist packages/database/dist
COPY --from=build /app/packages/server/package.json /app/packages/server/node-version.cjs packages/server/
COPY --from=build /app/packages/server/dist packages/server/dist
COPY --from=build /app/generated/openapi.json generated/
COPY --from=build /app/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 OPS_PORT=3001 SHUTDOWN_DELAY=5000 \
  DATABASE_URL=sqlite:/data/plants.db UPLOAD_FOLDER=/data/uploads
USER node
# 3001 serves probes and metrics: do not publish it.
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT}/-/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/main.js"]
