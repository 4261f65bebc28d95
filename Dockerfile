# Builds the binary, and runs it alone, as an unprivileged user, in an image with nothing but the C library it needs.
#
#   docker build -t convene .
#   docker run -p 3000:3000 -v convene:/data convene
FROM oven/bun:1.4.5 AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile
COPY migrations migrations
COPY scripts scripts
COPY src src
RUN bun run build
# There is no shell to make it with in the other image.
RUN mkdir /data

FROM gcr.io/distroless/base-debian12:nonroot
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
