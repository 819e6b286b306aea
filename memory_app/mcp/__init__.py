"""The MCP door: tools over `/mcp` and `/mcp/{bank}`, for both protocol eras, without sessions."""
