// SPDX-License-Identifier: BSL-1.0
//
// A plugin of clang: limits the checks of clang-tidy to declarations outside system headers.
// Without it, clang-tidy spends more than half of its time on declarations whose diagnostics it
// discards.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

#include <memory>
#include <string>
#include <vector>

namespace {

class OwnDeclarations : public clang::ASTConsumer {
  void HandleTranslationUnit(clang::ASTContext& context) override {
    const clang::SourceManager& sources = context.getSourceManager();
    std::vector<clang::Decl*> own;
    // Declarations of precompiled headers are not loaded: all of them are from system headers.
    for (clang::Decl* declaration : context.getTranslationUnitDecl()->noload_decls()) {
      const auto location = sources.getExpansionLoc(declaration->getLocation());
      if (!sources.isInSystemHeader(location)) own.push_back(declaration);
    }
    context.setTraversalScope(own);
  }
};

class LimitToOwnDeclarations : public clang::PluginASTAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<OwnDeclarations>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<LimitToOwnDeclarations> added("own-declarations", "");

}  // namespace
