# One file, two images: `--target server` (referee, page, API) and `--target bot` (a bot author's side, much smaller).

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY palio palio
COPY rules rules
COPY clients clients
COPY server server
COPY db db
COPY tools/build_page.py tools/build_page.py
ARG PALIO_REVISION=""
RUN python -m venv /opt/server && /opt/server/bin/pip install --no-cache-dir --constraint constraints.txt '.[server,bots,llm]' \
 && python -m venv /opt/bot && /opt/bot/bin/pip install --no-cache-dir --no-deps . \
 && python -c "import tomllib; extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; print(*extras['bots'], *extras['llm'], sep='\n')" > /opt/bot/bots.txt \
 && /opt/bot/bin/pip install --no-cache-dir --constraint constraints.txt --requirement /opt/bot/bots.txt

FROM python:3.13-slim AS base
RUN useradd --system --create-home --uid 10001 palio
USER palio
WORKDIR /home/palio
ENV PYTHONUNBUFFERED=1

FROM base AS bot
COPY --from=build /opt/bot /opt/bot
ENV PATH="/opt/bot/bin:$PATH"
ENTRYPOINT ["palio"]
CMD ["join", "--help"]

FROM base AS server
COPY --from=build /opt/server /opt/server
ENV PATH="/opt/server/bin:$PATH"
EXPOSE 8000
ENTRYPOINT ["palio"]
CMD ["serve", "--host", "0.0.0.0"]
