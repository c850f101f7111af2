# landfall as a sidecar; README, "In a container", says how to run it and what of this was tried.
#
#   docker build -t landfall .                                   with Go, Java and Zig
#   docker build -t landfall-go --build-arg LANGUAGES=go .       with those that are named

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist

FROM golang:1.26-bookworm AS go

FROM debian:bookworm-slim
ARG LANGUAGES="go java zig"
# One that there is a zls for.
ARG ZIG=0.16.0

# tini, because language servers leave children behind that somebody has to bury; curl for the probes.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl git python3-venv tini \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/target/dist/landfall /usr/local/bin/

# Everything that is installed is root's and stays as it is, whoever runs the container.
ENV XDG_DATA_HOME=/opt PATH=/usr/local/go/bin:/opt/zig/bin:$PATH
RUN --mount=from=go,source=/usr/local/go,target=/mnt/go \
    case " $LANGUAGES " in *" go "*) \
        cp -a /mnt/go /usr/local/go \
        && landfall servers install gopls && go clean -cache -modcache ;; \
    esac
RUN case " $LANGUAGES " in *" java "*) \
        apt-get update && apt-get install -y --no-install-recommends openjdk-17-jdk-headless maven \
        && rm -rf /var/lib/apt/lists/* \
        && landfall servers install jdtls ;; \
    esac
RUN case " $LANGUAGES " in *" zig "*) \
        python3 -m venv /opt/zig && /opt/zig/bin/python -m pip install --no-cache-dir "ziglang==$ZIG" \
        && ln -s ../lib/python3.11/site-packages/ziglang/zig /opt/zig/bin/zig \
        && landfall servers install zls ;; \
    esac

# What is written lies in these folders and the workspace, so that the rest can be read-only. Any other user will do who may
# write there.
RUN useradd --uid 1000 --create-home landfall \
    && install -d -o landfall -m 700 /run/landfall \
    && install -d -o landfall /workspace
ENV HOME=/home/landfall XDG_RUNTIME_DIR=/run/landfall
USER 1000:1000
WORKDIR /workspace
EXPOSE 7420

ENTRYPOINT ["tini", "--", "landfall"]
CMD ["serve", "--http", "0.0.0.0:7420", "--token-file", "/run/landfall/token", "--root", "/workspace"]
HEALTHCHECK CMD ["curl", "-fsS", "http://127.0.0.1:7420/healthz"]
