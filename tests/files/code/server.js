"use strict";

const http = require("http");
const { format, parse: read } = require("./format");

/** Answers requests. */
function Server(options) {
  this.options = options;
}

Server.prototype.listen = function listen(port) {
  const server = http.createServer((request, response) => {
    response.end(format(read(request.url)));
  });
  return server.listen(port);
};

class Router extends Server {
  #routes = new Map();
  static create(options) {
    return new Router(options);
  }
  get size() {
    return this.#routes.size;
  }
  use = (path, handler) => {
    this.#routes.set(path, handler);
    return this;
  };
  *paths() {
    yield* this.#routes.keys();
  }
}

const handlers = {
  home() {
    return handlers.about();
  },
  about: () => format("about"),
};

exports.start = async function (port) {
  const router = Router.create({});
  router.use("/", handlers.home);
  return router.listen(port);
};
module.exports.Router = Router;
