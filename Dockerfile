# Builds the binary, and runs it as an unprivileged user in an image that contains only the C library besides.
#
#   docker build -t convene --build-arg BUILD_COMMIT=$(git rev-parse --short=12 HEAD) .
#   docker run -p 127.0.0.1:3000:3000 -v convene:/data convene
# The images are pinned by their digests, which cannot change as tags do. `docker buildx imagetools inspect IMAGE` shows that of a
# newer one.
ARG BUILD_IMAGE=node:22.18.0-bookworm-slim@sha256:752ea8a2f758c34002a0461bd9f1cee4f9a3c36d48494586f60ffce1fc708e0e
ARG BASE_IMAGE=gcr.io/distroless/base-debian12:nonroot@sha256:7f0c72cd138b442ae0deeb69c08b1acf5525439ba251a49ad93c320a061567e5
FROM ${BUILD_IMAGE} AS build
RUN npm install --global bun@1.4.5
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY client/package.json client/
RUN bun install --frozen-lockfile
COPY migrations migrations
COPY scripts scripts
COPY client/src client/src
COPY src src
COPY web web
# The commit that convene --version prints: the image does not contain the repository.
ARG BUILD_COMMIT=
RUN BUILD_COMMIT="$BUILD_COMMIT" bun run build
# The final image has no shell to create the directory with.
RUN mkdir /data

FROM ${BASE_IMAGE}
COPY --from=build /build/dist/convene /usr/local/bin/convene
COPY --from=build --chown=65532:65532 --chmod=700 /data /data
USER 65532:65532
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["convene", "health"]
ENTRYPOINT ["convene"]
CMD ["serve"]
