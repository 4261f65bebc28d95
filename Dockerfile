# Builds the binary, and runs it alone as an unprivileged user.
FROM oven/bun:1.4.5 AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile
COPY migrations migrations
COPY src src
RUN bun run build

FROM debian:12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data convene
COPY --from=build /build/dist/convene /usr/local/bin/convene
USER convene
ENV HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s CMD ["convene", "health"]
ENTRYPOINT ["convene"]
CMD ["serve"]
