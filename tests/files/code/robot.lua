local grid = require("world.grid")
local json = require "json"

local LIMIT = 10

--- A robot on a grid.
local Robot = {}
Robot.__index = Robot

-- Makes a robot.
function Robot.new(name)
  local self = setmetatable({}, Robot)
  self.name = name
  return self
end

function Robot:move(steps)
  for i = 1, math.min(steps, LIMIT) do
    self:step()
  end
  grid.mark(self.name)
end

function Robot:step()
  self.count = (self.count or 0) + 1
end

local function describe(robot)
  return json.encode({ name = robot.name })
end

Robot.describe = function(self)
  return describe(self)
end

local robot = Robot.new("a")
robot:move(3)
print(robot:describe())
return Robot
